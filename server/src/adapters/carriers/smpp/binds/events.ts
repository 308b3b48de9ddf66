/** What happened on a connection, for a log: no number and no text. */
export type SmppEvent = { connection: string; host: string } & (
  | { event: 'bound'; systemId: string }
  | { event: 'lost' | 'refused'; why: string; inDoubt: number; retryInMs: number }
  | { event: 'throttled'; perSecond: number }
);
