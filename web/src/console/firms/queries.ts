import { get } from '../../api/http.ts';

export type Firm = {
  firmId: number;
  name: string;
  firstTextLine: boolean | null;
  optOutScope: 'advisor' | 'firm';
  dateTimeCreated: string;
};

export const firmsQuery = {
  queryKey: ['/firms'],
  queryFn: () => get<{ data: Firm[]; environment: string }>('/firms'),
};
