import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalid } from '../../domain/problems.ts';
import { payloadTooLarge, unsupportedMediaType } from './problems.ts';

export const bodyBytesMax = 256 * 1024;
const depthMax = 64;
/** One for all requests: making it takes longer than reading a body with it. */
const utf8 = new TextDecoder();
const jsonType = /^application\/json\s*(;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** The body's bytes, unless it is too large. */
export type RawBody = Buffer | 'too large';

/**
 * Reads the body whatever its type, because an idempotent replay comes before the checks of type and size. Keeps nothing
 * past the limit; Node discards the rest after the response, within the time that a request may take.
 */
export async function readRawBody(stream: IncomingMessage, bytesMax = bodyBytesMax): Promise<RawBody> {
  if (Number(stream.headers['content-length'] ?? 0) > bytesMax) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const broken = (cause?: unknown) => reject(disconnected(cause));
    stream.on('error', broken);
    // Every stream closes, usually after its end. Creating an error with a stack each time would be a waste.
    stream.on('close', () => stream.readableEnded || broken());
    stream.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) return resolve('too large');
      chunks.push(chunk);
    });
  });
}

/** What nobody is told any more. */
export function disconnected(cause?: unknown): Error {
  return Object.assign(new Error('The client disconnected.', { cause }), { statusCode: 400 });
}

/** The body as JSON, or the problem with it: 415, then 413, then 400. */
export function parseBody(raw: RawBody, headers: IncomingMessage['headers']): unknown {
  const wrong = wrongTypeIn(headers);
  if (wrong) throw unsupportedMediaType(wrong);
  if (raw === 'too large') throw payloadTooLarge();
  const { value, broken } = parseJson(raw);
  if (broken) throw invalid([broken]);
  return value;
}

/** What the body says, if it is JSON, whatever its headers. */
export function jsonIn(raw: Buffer): unknown {
  return parseJson(raw).value;
}

/** Why the body can't be JSON in UTF-8, as its headers say; undefined if it can. */
function wrongTypeIn(headers: IncomingMessage['headers']): string | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (type === '') return 'The Content-Type is missing: send Content-Type: application/json.';
  if (!jsonType.test(type)) return 'The Content-Type must be application/json.';
  const [, given = 'utf-8'] = charset.exec(type) ?? [];
  if (!/^utf-?8$/i.test(given)) return 'The body must be in UTF-8: send Content-Type: application/json.';
  return /^identity$/i.test(encoding) ? undefined : 'The body must not be compressed: send no Content-Encoding.';
}

/** A fingerprint of the body: of the JSON, however it is formatted, or of the bytes if they aren't JSON. */
export function fingerprintOf(raw: RawBody): Buffer {
  const hash = createHash('sha256');
  if (raw === 'too large') return hash.update('\0too large').digest();
  const { value, broken } = parseJson(raw);
  return hash.update(broken ? raw : canonical(value)).digest();
}

type ParsedBody =
  | { value: unknown; broken?: undefined }
  | { value?: undefined; broken: { path: string; rule: string; message: string } };

function parseJson(raw: Buffer): ParsedBody {
  if (raw.length === 0) return notJson('The body is empty: send a JSON object.');
  if (!isUtf8(raw)) return notJson('The body is not in UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(raw));
  } catch {
    return notJson('The body is not valid JSON.');
  }
  if (isDeeper(value, depthMax))
    return { broken: { path: '', rule: 'depth', message: `The body is nested more than ${depthMax} levels deep.` } };
  return { value };
}

function notJson(message: string): ParsedBody {
  return { broken: { path: '', rule: 'json', message } };
}

/** Whether arrays and objects are nested deeper than that. */
function isDeeper(value: unknown, levels: number): boolean {
  return isNest(value) && (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));
}

function isNest(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** JSON with sorted keys and no whitespace. A number too large for JavaScript equals no other value. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isNest(value)) return typeof value === 'number' ? String(value) : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join()}}`;
}
