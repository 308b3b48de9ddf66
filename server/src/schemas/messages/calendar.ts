import { Type } from '../shared/type.ts';

/** What the advisor's own app sends. Epoch milliseconds, up to the year 9999. */
const Moment = Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 });
export const CalendarQuery = Type.Object({ from: Moment, until: Moment });
