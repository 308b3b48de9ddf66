import type { list as listKeys, signingKeys } from '../../../../server/src/http/console/api-keys.ts';
import type { list, provisions } from '../../../../server/src/http/console/applications.ts';
import { get } from '../../api/http.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { listQuery } from '../lists.ts';

export type Application = RowOf<typeof list>;
export type Plan = AnswerOf<typeof listKeys>['defaultPlan'];
export type ApiKey = RowOf<typeof listKeys>;
export type SigningKey = RowOf<typeof signingKeys>;

export const applicationsQuery = {
  queryKey: ['/applications'],
  queryFn: () => get<AnswerOf<typeof list>>('/applications'),
};
export const keysQuery = {
  queryKey: ['/keys'],
  queryFn: () => get<AnswerOf<typeof listKeys>>('/keys'),
};
export const signingKeysQuery = listQuery<SigningKey>('/signing-keys');
export const provisionsQuery = (clientId: string) =>
  listQuery<RowOf<typeof provisions>>(`/applications/${clientId}/provisions`);
