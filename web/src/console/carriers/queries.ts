import type { kinds, list } from '../../../../server/src/http/console/carriers.ts';
import type { list as listNumbers } from '../../../../server/src/http/console/numbers.ts';
import type { RowOf } from '../answers.ts';
import { listQuery } from '../lists.ts';

export type Carrier = RowOf<typeof list>;
export type Field = NonNullable<Kind['fields']>[number];
export type Kind = RowOf<typeof kinds>;
export type TextingNumber = RowOf<typeof listNumbers>;

export const liveMs = 3_000;
export const carriersQuery = { ...listQuery<Carrier>('/carriers'), refetchInterval: liveMs };
export const kindsQuery = listQuery<Kind>('/carriers/kinds');
export const numbersQuery = listQuery<TextingNumber>('/numbers');
