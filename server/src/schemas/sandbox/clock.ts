import { Type } from '../shared/type.ts';

/** RFC 3339 can't express a later time. */
export const lastMs = Date.UTC(9999, 11, 31);

export const ClockAdvance = Type.Object(
  { advanceMs: Type.Integer({ minimum: 0, maximum: lastMs, description: 'How far, in milliseconds.' }) },
  { title: 'Clock advance', examples: [{ advanceMs: 3_600_000 }] },
);

export const ClockReading = Type.Object(
  {
    now: Type.Integer({ description: 'The sandbox’s time, in epoch milliseconds.' }),
    offsetMs: Type.Integer({ description: 'How far it is ahead of real time, in milliseconds.' }),
  },
  { title: 'Clock reading', examples: [{ now: 1772388300000, offsetMs: 3_600_000 }] },
);
