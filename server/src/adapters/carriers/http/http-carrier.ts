import type {
  Carrier,
  CarrierConnection,
  CarrierKind,
  CarrierStatus,
  DoubtfulText,
  LineType,
  OutgoingText,
  Submission,
  SubmissionAtCarrier,
} from '../../../domain/ports.ts';
import { networksFor } from '../../outbound/addresses.ts';
import { makeConnectionQueue } from '../shared/connection-queue.ts';
import { counted, makeCounts } from '../shared/counts.ts';
import { makePace } from '../shared/pace.ts';
import { mediaFetcher } from './media.ts';
import { receiptsUrl } from './references.ts';
import { type Ask, type CarrierResponse, makeAsk, NotBegun, NotSent, type Question } from './requests.ts';
import type { SubmitResult } from './results.ts';
import type { CommonSettings, HttpCarrierEvent, NodeSettings } from './settings.ts';

/** How a vendor's API works. */
export type Vendor = {
  api: URL;
  /** Headers of every request. */
  credentials: Record<string, string>;
  /** Whether its media are behind the same credentials. */
  keepsMedia: boolean;
  /** The request that hands a text over. The vendor tells at `receiptsTo` what becomes of it. */
  submission(text: OutgoingText, receiptsTo: string): Question;
  resultOf(response: CarrierResponse): SubmitResult;
  /** An address that costs nothing to read, to see whether it and the credentials are right. */
  probe: URL;
  find(text: DoubtfulText, ask: Ask): Promise<SubmissionAtCarrier | null>;
  lookUp(phone: string, ask: Ask): Promise<LineType>;
};

/** A kind of carrier whose texts go out in requests. */
export function httpKind<Settings extends CommonSettings, Rest extends Omit<CarrierKind, 'open'>>(
  vendorOf: (settings: Settings, node: NodeSettings) => Vendor,
  rest: Rest,
) {
  return {
    ...rest,
    open: (name: string, settings: Settings, node: NodeSettings) =>
      httpCarrier(name, settings, node, vendorOf(settings, node)),
  };
}

const defaults = { window: 20, beginMs: 5_000, responseMs: 10_000, lateMs: 60_000 };
const probeEveryMs = 30_000;

/** Its replies and receipts come in requests too: see http/carriers. */
function httpCarrier(name: string, settings: CommonSettings, node: NodeSettings, vendor: Vendor): Carrier {
  const { window, beginMs, responseMs, lateMs } = { ...defaults, ...settings };
  const { api, credentials, keepsMedia } = vendor;
  const counts = makeCounts();
  const pace = makePace(settings.perSecondMax ?? null);
  const networks = networksFor(node);
  const ask = makeAsk(networks, responseMs, credentials);
  const askPatiently = makeAsk(networks, lateMs, credentials);
  const connection = makeConnection(api.host, window, () => queue.changed(), node.report);
  const queue = makeConnectionQueue([connection], pace);
  const lookups: NonNullable<CarrierStatus['lookups']> = { answered: 0, failed: 0, lastFault: null };

  /**
   * Hands over a text with one request. It is never repeated here: only a response that settles what became of the text is
   * returned, and anything else throws.
   */
  async function submit(text: OutgoingText): Promise<Submission> {
    const beginBy = Math.min(text.beginBy ?? Number.POSITIVE_INFINITY, performance.now() + beginMs);
    const entered = await queue.enter(beginBy);
    if (typeof entered === 'string') return { notTaken: entered, unavailable: true };
    let isInside = true;
    const leave = () => {
      if (isInside) connection.left();
      isInside = false;
    };
    // A late answer is still waited for, but other texts don't wait with it.
    const timer = setTimeout(leave, responseMs);
    try {
      const question = vendor.submission(text, receiptsUrl(node.publicUrl, name, text));
      return await handOver({ ...question, beginBy: text.beginBy });
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  async function handOver(question: Question): Promise<Submission> {
    let response: CarrierResponse;
    try {
      response = await askPatiently(question);
    } catch (error) {
      if (error instanceof NotBegun) return { notTaken: 'not_begun', unavailable: true };
      connection.failed((error as Error).message);
      if (error instanceof NotSent) return { notTaken: 'not_connected', unavailable: true };
      throw error;
    }
    const said = vendor.resultOf(response);
    if (said) return settle(said, response.retryAfterMs);
    connection.failed(`it answers with ${response.status}, which settles nothing`);
    throw new Error(`The response ${response.status} says nothing about the text.`);
  }

  function settle(said: NonNullable<SubmitResult>, retryAfterMs: number | null): Submission {
    if ('accepted' in said) {
      connection.answered(null);
      pace.accepted();
      return said;
    }
    const { code, meaning } = said;
    connection.answered(meaning === 'account' ? code : null);
    if (meaning === 'throttled') {
      counts.throttled += 1;
      if (pace.throttled(retryAfterMs ?? 0)) connection.throttled(pace.perSecond() ?? 0);
    }
    // A queue that is full, our pace, or the account: none of these is about this text.
    if (meaning === 'throttled' || meaning === 'account' || meaning === 'notTaken')
      return { notTaken: code, unavailable: true };
    return { refused: meaning, code };
  }

  async function probe(): Promise<void> {
    try {
      const response = await ask({ url: vendor.probe });
      if (response.status === 200) return connection.answered(null);
      const said = vendor.resultOf(response);
      if (said && 'code' in said && said.meaning === 'account') connection.answered(said.code);
      else connection.failed(said && 'code' in said ? said.code : `it answers with ${response.status}`);
    } catch (error) {
      connection.failed((error as Error).message);
    }
  }

  return {
    name,
    check: () => null,
    submit: (text) => counted(counts, submit(text)),
    room: queue.room,
    // Nothing comes in here, but from now on texts may go out.
    listen() {
      void probe();
      const probing = setInterval(() => connection.isBound() || void probe(), probeEveryMs);
      return async () => {
        clearInterval(probing);
        connection.stop();
      };
    },
    status: () => ({ connections: [connection.status()], ...counts, perSecond: pace.perSecond(), lookups }),
    find: (text) => vendor.find(text, ask),
    /** What is wrong with lookups shows beside the connection: texts go on without them. */
    async lookUp(phone) {
      try {
        const lineType = await vendor.lookUp(phone, ask);
        lookups.answered += 1;
        return lineType;
      } catch (error) {
        lookups.failed += 1;
        lookups.lastFault = (error as Error).message;
        throw error;
      }
    },
    fetchMedia: mediaFetcher(node, keepsMedia ? { api, headers: credentials } : undefined),
  };
}

const connectionName = 'requests';

/** HTTP connections come and go, so what counts is how the last request went: `bound` if it was answered. */
function makeConnection(host: string, window: number, changed: () => void, report: (event: HttpCarrierEvent) => void) {
  let inFlight = 0;
  let state: CarrierConnection['state'] = 'connecting';
  let since = new Date();
  let lastFault: string | null = null;

  function move(to: CarrierConnection['state']): void {
    // A stopped one stays so, whatever answers still come.
    if (state === to || state === 'stopped') return;
    state = to;
    since = new Date();
  }

  function fail(event: 'lost' | 'refused', why: string): void {
    if (state !== 'waiting' && state !== 'stopped') report({ connection: connectionName, host, event, why });
    lastFault = why;
    move('waiting');
  }

  return {
    // A request that can't be made fails at once, and the dispatcher pauses after some of those.
    isOpen: () => true,
    room: () => window - inFlight,
    inFlight: () => inFlight,
    entered(): void {
      inFlight += 1;
    },
    left(): void {
      inFlight -= 1;
      changed();
    },
    /** A response came. `fault` is what is wrong with the account, if that is what it says. */
    answered(fault: string | null) {
      if (fault !== null) return fail('refused', fault);
      if (state !== 'bound' && state !== 'stopped') report({ connection: connectionName, host, event: 'bound' });
      move('bound');
    },
    failed: (why: string) => fail('lost', why),
    throttled: (perSecond: number) => report({ connection: connectionName, host, event: 'throttled', perSecond }),
    isBound: () => state === 'bound',
    stop: () => move('stopped'),
    status: (): CarrierConnection => ({ name: connectionName, host, state, since, inFlight, window, lastFault }),
  };
}
