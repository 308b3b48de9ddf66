import type { Carrier, CarrierStatus, LineType, OutgoingText } from '../../../domain/ports.ts';
import { counted, makeCounts } from '../shared/counts.ts';
import { type Lanes, makeLanes } from '../shared/lanes.ts';
import { makePace } from '../shared/pace.ts';
import { type Connection, makeConnection } from './connection.ts';
import { type Answer, type Ask, makeAsk, type Question } from './requests.ts';
import { type CommonSettings, networksFor, type Surroundings } from './settings.ts';
import { makeSubmit } from './submissions.ts';
import type { Verdict } from './verdicts.ts';

/** How a vendor's API works. */
export type Vendor = {
  api: URL;
  question(text: OutgoingText): Question;
  verdict(answer: Answer): Verdict;
  /** A question that costs nothing, to see whether the address and the credentials are right. */
  probe: Question;
  /** The rest of the carrier, with requests that don't wait for the pace of texts. */
  rest(ask: Ask): Pick<Carrier, 'find' | 'lookUp' | 'fetchMedia'>;
};

type Lookups = NonNullable<CarrierStatus['lookups']>;

const defaults = { window: 20, beginMs: 5_000, responseMs: 10_000, lateMs: 60_000 };
const probeEveryMs = 30_000;

/** A carrier whose texts go out in requests. Its replies and receipts come in requests too: see http/carriers. */
export function httpCarrier(
  name: string,
  settings: CommonSettings,
  surroundings: Surroundings,
  vendor: Vendor,
): Carrier {
  const { window, beginMs, responseMs, lateMs } = { ...defaults, ...settings };
  const counts = makeCounts();
  const pace = makePace(settings.perSecondMax ?? null);
  const networks = networksFor(surroundings);
  const ask = makeAsk(networks, responseMs);
  const connection = makeConnection(vendor.api.host, window, () => lanes.changed(), surroundings.report ?? (() => {}));
  const lanes: Lanes<Connection> = makeLanes([connection], pace);
  const submit = makeSubmit({
    ask: makeAsk(networks, lateMs),
    lanes,
    pace,
    counts,
    times: { beginMs, responseMs },
    question: vendor.question,
    verdict: vendor.verdict,
  });
  const lookups: Lookups = { answered: 0, failed: 0, lastFault: null };
  const { lookUp, ...rest } = vendor.rest(ask);
  return {
    name,
    check: () => null,
    submit: (text) => counted(counts, submit(text)),
    room: lanes.room,
    // Nothing comes in here, but from now on texts may go out.
    listen() {
      void probe(connection, ask, vendor);
      const probing = setInterval(() => connection.isBound() || void probe(connection, ask, vendor), probeEveryMs);
      return async () => {
        clearInterval(probing);
        connection.stop();
      };
    },
    status: () => ({ connections: [connection.status()], ...counts, perSecond: pace.perSecond(), lookups }),
    ...rest,
    ...(lookUp && { lookUp: (phone) => countedLookup(lookups, lookUp(phone)) }),
  };
}

/** What is wrong with lookups shows beside the connection: texts go on without them. */
async function countedLookup(counts: Lookups, lookup: Promise<LineType>): Promise<LineType> {
  try {
    const lineType = await lookup;
    counts.answered += 1;
    return lineType;
  } catch (error) {
    counts.failed += 1;
    counts.lastFault = (error as Error).message;
    throw error;
  }
}

async function probe(connection: Connection, ask: Ask, vendor: Vendor): Promise<void> {
  try {
    const answer = await ask(vendor.probe);
    if (answer.status === 200) return connection.answered(null);
    const said = vendor.verdict(answer);
    if (said && 'code' in said && said.meaning === 'account') connection.answered(said.code);
    else connection.failed(said && 'code' in said ? said.code : `it answers with ${answer.status}`);
  } catch (error) {
    connection.failed((error as Error).message);
  }
}
