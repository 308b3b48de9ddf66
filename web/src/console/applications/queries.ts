import { get } from '../../api/http.ts';
import { listQuery } from '../lists.ts';

export type Application = {
  applicationId: number;
  clientId: string;
  name: string;
  scopes: string[];
  redirectUris: string[];
  externalClientId: string | null;
  disabled: boolean;
  dateTimeCreated: string;
};
export type Plan = { ratePerSecond: number | null; burst: number | null; dailyQuota: number | null };
export type ApiKey = Plan & {
  keyId: number;
  clientId: string;
  hint: string;
  revoked: boolean;
  dateTimeCreated: string;
};
export type SigningKey = {
  kid: string;
  use: 'waits' | 'signs' | 'verifies';
  dateTimeCreated: string;
  dateTimeSigns: string;
};

export const applicationsQuery = {
  queryKey: ['/applications'],
  queryFn: () => get<{ data: Application[]; scopes: Record<string, string> }>('/applications'),
};
export const keysQuery = {
  queryKey: ['/keys'],
  queryFn: () => get<{ data: ApiKey[]; defaultPlan: Plan }>('/keys'),
};
export const signingKeysQuery = listQuery<SigningKey>('/signing-keys');
export const provisionsQuery = (clientId: string) =>
  listQuery<{ advisorId: number; name: string }>(`/applications/${clientId}/provisions`);
