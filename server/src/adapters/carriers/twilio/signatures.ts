import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'node:querystring';

/** The parameters of a call: a form's, or none if the body is signed by its hash in the URL. */
export type SignedParameters = ReadonlyMap<string, string[]>;

type SignedCall = { url: string; signature: string; parameters: SignedParameters };

const hashParameter = 'bodySHA256';
/** HMAC-SHA1 in base64. */
const signatureShape = /^[A-Za-z0-9+/]{27}=$/;

/** Worth reading the rest for. */
export function looksSigned(signature: string | undefined): signature is string {
  return signature !== undefined && signatureShape.test(signature);
}

/** Whether the URL names the body's hash, which JSON is signed by. */
export function isSignedByHash(url: string): boolean {
  return url.includes(hashParameter);
}

export function matchesHash(url: string, body: Buffer): boolean {
  const given = Buffer.from(URL.parse(url)?.searchParams.get(hashParameter) ?? '');
  const right = Buffer.from(createHash('sha256').update(body).digest('hex'));
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * HMAC-SHA1 of the URL followed by every parameter, sorted. Twilio's own libraries accept the URL with and without its port,
 * since Twilio signs either, and as some of its systems escape it; so do we.
 */
export function isSigned(authToken: string, { url, signature, parameters }: SignedCall): boolean {
  const suffix = [...parameters.keys()]
    .sort()
    .map((name) => suffixOf(name, parameters.get(name) ?? []))
    .join('');
  const given = Buffer.from(signature);
  return [...spellingsOf(url)].some((spelling) => {
    const right = Buffer.from(
      createHmac('sha1', authToken)
        .update(spelling + suffix)
        .digest('base64'),
    );
    return given.length === right.length && timingSafeEqual(given, right);
  });
}

/** Of a name that comes twice, each value counts once. */
function suffixOf(name: string, values: string[]): string {
  return [...new Set(values)]
    .sort()
    .map((value) => name + value)
    .join('');
}

function spellingsOf(url: string): Set<string> {
  const escaped = URL.parse(url)?.href ?? url;
  const ports = (text: string) => [withoutPort(text), withPort(text)];
  return new Set([...ports(url), ...ports(escaped), ...ports(escaped).map(asQuerystring)]);
}

const urlParts = /^(https?:\/\/)([^/?#:[\]]+|\[[^\]]*\])(:\d*)?(.*)$/is;

function withoutPort(url: string): string {
  return url.replace(urlParts, '$1$2$4');
}

function withPort(url: string): string {
  return url.replace(urlParts, (_, scheme: string, host: string, port: string | undefined, rest: string) => {
    const standard = scheme.toLowerCase() === 'https://' ? ':443' : ':80';
    return scheme + host + (port || standard) + rest;
  });
}

/** The query as Node's older functions write it. */
function asQuerystring(url: string): string {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return url;
  return `${url.slice(0, start)}?${stringify(parse(url.slice(start + 1)))}`;
}
