import type { Carrier, CarrierKind, Inbound } from '../../../domain/ports.ts';
import { type ConnectionQueue, makeConnectionQueue } from '../shared/connection-queue.ts';
import { counted, makeCounts } from '../shared/counts.ts';
import { makePace } from '../shared/pace.ts';
import { type Bind, keepBind } from './binds/bind.ts';
import { type SmppOptions, settingsOf, smppSchema } from './options.ts';
import { makeReceive } from './receiving/inbound.ts';
import { makeReplies } from './receiving/replies.ts';
import { makeReceipts } from './sending/receipts.ts';
import { makeSubmit } from './sending/submissions.ts';
import { makeTracking } from './sending/tracking.ts';

export const smppKind: CarrierKind = {
  schema: smppSchema,
  secrets: ['password', 'hosts.*.tls.key'],
  // The schema is the options without what the node adds.
  open: (name, settings, { report, clock }) =>
    smppCarrier({ ...settings, name, report, now: () => clock.now() } as SmppOptions),
};

/** How often overdue parts are looked at, at most. */
const lookEveryMs = 1_000;

/**
 * Texts by SMPP 3.4. It connects when somebody listens. No text is handed over twice here: one whose response was lost
 * is in doubt, until its receipt tells more.
 */
export function smppCarrier(options: SmppOptions): Carrier {
  const settings = settingsOf(options);
  const { name, bindAs, times } = settings;
  const counts = makeCounts();
  const pace = makePace(settings.perSecondMax);
  const tracking = makeTracking(settings);
  let inbound: Inbound | null = null;
  let binds: Bind[] = [];
  let queue: ConnectionQueue<Bind> = makeConnectionQueue([], pace);

  const listener = () => {
    if (!inbound) throw new Error('Nobody listens.');
    return inbound;
  };
  const receipts = makeReceipts({ settings, tracking, counts }, listener);
  const replies = makeReplies(settings, counts, listener);
  const receive = makeReceive(settings, { replies, receipts, counts });
  const submit = makeSubmit({
    settings,
    queue: { enter: (until) => queue.enter(until) },
    pace,
    tracking,
    counts,
  });

  function connect(): void {
    const numbers = Array.from({ length: settings.binds }, (_, number) => number);
    const keep = (role: 'transceiver' | 'transmitter' | 'receiver') =>
      numbers.map((number) => keepBind(settings, { role, number }, receive, () => queue.changed()));
    const transmitters = keep(bindAs === 'transceiver' ? 'transceiver' : 'transmitter');
    binds = bindAs === 'transceiver' ? transmitters : [...transmitters, ...keep('receiver')];
    queue = makeConnectionQueue(transmitters, pace);
  }

  return {
    name,
    check: () => null,
    submit: (text, course) => counted(counts, submit(text, course)),
    room: () => queue.room(),
    listen(to) {
      inbound = to;
      connect();
      const look = setInterval(replies.giveUpOld, Math.min(lookEveryMs, times.joinMs));
      return async () => {
        clearInterval(look);
        await Promise.all(binds.map((bind) => bind.stop()));
        inbound = null;
      };
    },
    status: () => ({ connections: binds.map((bind) => bind.status()), ...counts, perSecond: pace.perSecond() }),
  };
}
