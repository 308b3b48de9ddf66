import type { list } from '../../../../server/src/http/console/firms.ts';
import { get } from '../../api/http.ts';
import type { AnswerOf, RowOf } from '../answers.ts';

export type Firm = RowOf<typeof list>;

export const firmsQuery = {
  queryKey: ['/firms'],
  queryFn: () => get<AnswerOf<typeof list>>('/firms'),
};
