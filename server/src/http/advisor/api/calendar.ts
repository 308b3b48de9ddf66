import { listCalendar } from '../../../domain/messages/calendar.ts';
import { CalendarQuery } from '../../../schemas/messages/calendar.ts';
import { endpoint } from '../../door/route.ts';

export const list = endpoint({
  query: CalendarQuery,
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const span = { from: new Date(query.from), until: new Date(query.until) };
    return listCalendar(deps, advisorId, span);
  },
});
