import type { Static } from 'typebox';
import { loopbackHosts } from '../../../config.ts';
import type { CarrierExtra } from '../../../domain/ports.ts';
import { Type } from '../../../schemas/shared/type.ts';

/** What a carrier over HTTP is given besides its settings: the node's own configuration. */
export type NodeSettings = Pick<CarrierExtra, 'publicUrl' | 'environment' | 'outboundAllowedNetworks' | 'report'>;

export type HttpCarrierEvent = { connection: string; host: string } & (
  | { event: 'bound' }
  | { event: 'lost' | 'refused'; why: string }
  | { event: 'throttled'; perSecond: number }
);

const ms = (maximum: number, description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }));

/** The settings that every carrier over HTTP has. All of them can be left out. */
export const commonSettings = {
  perSecondMax: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'The agreed rate for the whole account. Without it, the pace follows the carrier’s answers alone.',
    }),
  ),
  window: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many texts wait for their response at once.' }),
  ),
  beginMs: ms(60_000, 'A text that couldn’t be begun within this time isn’t. Shorter than CARRIER_TIMEOUT_MS.'),
  responseMs: ms(120_000, 'After this the place in the window is free again.'),
  lateMs: ms(600_000, 'How long a late answer still settles a text.'),
  lookUp: Type.Optional(
    Type.Boolean({
      description:
        'Whether numbers are looked up before they are texted, each once in 30 days. The carrier charges for it.',
    }),
  ),
};
const CommonSettings = Type.Object(commonSettings);
export type CommonSettings = Static<typeof CommonSettings>;

/** An address where a carrier takes requests. Credentials go there, so it is https, except on this machine in a sandbox. */
export function apiAddress(text: string, { environment }: Pick<NodeSettings, 'environment'>): URL {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.search || url.hash)
    throw new Error(`${text} isn’t an address for requests: it must be an https URL without a query.`);
  const isLocal = environment === 'sandbox' && url.protocol === 'http:' && loopbackHosts.includes(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) throw new Error(`${text} isn’t https.`);
  return url;
}

/** An address below it. */
export function below(base: URL, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
  url.search = String(new URLSearchParams(query));
  return url;
}
