import { listQuery } from '../lists.ts';

export type Advisor = {
  advisorId: number;
  firmId: number;
  name: string;
  email: string;
  textingNumber: string | null;
  timeZone: string;
  consentRequired: boolean;
  consentCollection: boolean;
  quietHours: 'off' | 'defer' | 'refuse';
  disabled: boolean;
  dateTimeCreated: string;
};

export const advisorsQuery = listQuery<Advisor>('/advisors');
