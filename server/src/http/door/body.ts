import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalid } from '../../domain/problems.ts';
import { payloadTooLarge, unsupportedMediaType } from './problems.ts';

export const bodyBytesMax = 256 * 1024;
const depthMax = 64;
const jsonType = /^application\/json\s*(;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** The bytes of a body as they came; of one that is too large, only that it is. */
export type RawBody = Buffer | 'too large';

/**
 * Reads the body whatever its type: an idempotent replay comes before the type and the size are judged. Of what is over
 * the limit no more is kept; Node lets the rest run by after the answer, within the time that a request may take.
 */
export async function readRawBody(stream: IncomingMessage, bytesMax = bodyBytesMax): Promise<RawBody> {
  if (Number(stream.headers['content-length'] ?? 0) > bytesMax) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const broken = (cause?: unknown) =>
      reject(Object.assign(new Error('The client went away.', { cause }), { statusCode: 400 }));
    stream.on('error', broken);
    // Every stream closes, mostly after its end; an error with its stack for each would be made for nothing.
    stream.on('close', () => stream.readableEnded || broken());
    stream.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) return resolve('too large');
      chunks.push(chunk);
    });
  });
}

/** The body as JSON, or the problem with it: 415, then 413, then 400. */
export function parseBody(raw: RawBody, headers: IncomingMessage['headers']): unknown {
  if (!isJson(headers)) throw unsupportedMediaType();
  if (raw === 'too large') throw payloadTooLarge();
  const { value, broken } = parseJson(raw);
  if (broken) throw invalid([broken]);
  return value;
}

function isJson({ 'content-type': type = '', 'content-encoding': encoding = 'identity' }: IncomingMessage['headers']) {
  const [, given = 'utf-8'] = charset.exec(type) ?? [];
  return jsonType.test(type) && /^utf-?8$/i.test(given) && /^identity$/i.test(encoding);
}

/** A fingerprint of the body, the same for the same JSON however it is written; of what is not JSON, of its bytes. */
export function fingerprintOf(raw: RawBody): Buffer {
  const hash = createHash('sha256');
  if (raw === 'too large') return hash.update('\0too large').digest();
  const { value, broken } = parseJson(raw);
  return hash.update(broken ? raw : canonical(value)).digest();
}

type Parsed =
  | { value: unknown; broken?: undefined }
  | { value?: undefined; broken: { path: string; rule: string; message: string } };

function parseJson(raw: Buffer): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    return { broken: { path: '', rule: 'json', message: 'The body is not JSON in UTF-8.' } };
  }
  if (isDeeper(value, depthMax))
    return { broken: { path: '', rule: 'depth', message: `The body is nested over ${depthMax} levels deep.` } };
  return { value };
}

/** Whether arrays and objects nest deeper than that; level by level, since recursion could run out of stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isNest);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true;
    level = level.flatMap((each) => Object.values(each)).filter(isNest);
  }
  return false;
}

function isNest(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** JSON with its keys in order and no white space. A number too large to hold is like no other value. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isNest(value)) return typeof value === 'number' ? String(value) : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join()}}`;
}
