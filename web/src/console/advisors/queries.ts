import type { list } from '../../../../server/src/http/console/advisors.ts';
import type { RowOf } from '../answers.ts';
import { listQuery } from '../lists.ts';

export type Advisor = RowOf<typeof list>;

export const advisorsQuery = listQuery<Advisor>('/advisors');
