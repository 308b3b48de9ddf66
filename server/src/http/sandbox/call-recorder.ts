import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { CallLog, CallParts, LoggedPart } from '../../domain/sandbox/call-log.ts';
import { redactBody, redactHeaders, redactPath } from '../../domain/sandbox/redaction.ts';

/** The partner API, the token endpoint and the sandbox's own routes. */
const recorded = /^\/(?:v\d+(?:\/|\?|$)|oauth\/(?:token|revoke|introspect)|sandbox\/)/;
const oauth = /^\/oauth\//;
const textType = /json|text|xml|x-www-form-urlencoded|^$/i;

/** Once it has a list for them, keeps the chunks that Node's parser pushes, also if nobody reads them. */
class RecordedRequest extends IncomingMessage {
  chunks: Uint8Array[] | null = null;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk instanceof Uint8Array) this.chunks?.push(chunk);
    return super.push(chunk, encoding);
  }
}

/** Once it has a list for them, keeps the chunks that are written to it. */
class RecordedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  chunks: (string | Uint8Array)[] | null = null;
  headers: OutgoingHttpHeaders = {};

  // biome-ignore-start lint/suspicious/noExplicitAny: Node has several forms of each.
  override writeHead(status: number, reason?: any, headers?: any): this {
    const given = headers ?? reason;
    if (given && typeof given === 'object' && !Array.isArray(given)) this.headers = given;
    return super.writeHead(status, reason, headers);
  }

  override write(chunk: any, encoding?: any, callback?: any): boolean {
    this.keep(chunk);
    return super.write(chunk, encoding, callback);
  }

  override end(chunk?: any, encoding?: any, callback?: any): this {
    this.keep(chunk);
    return super.end(chunk, encoding, callback);
  }
  // biome-ignore-end lint/suspicious/noExplicitAny: as above

  private keep(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.chunks?.push(chunk);
  }
}

/** For a server whose calls are recorded. */
export const recordedClasses = { IncomingMessage: RecordedRequest, ServerResponse: RecordedResponse };

/**
 * Records calls as they go over the wire, whichever route answers them and however. It is the first hook, so that calls which the
 * others refuse are recorded too.
 */
export function recordCalls(app: FastifyInstance, log: CallLog): void {
  app.addHook('onRequest', ({ raw: request, id: traceId }, { raw: response }, next) => {
    const { url = '/', method = '' } = request;
    if (!(recorded.test(url) && log.takes())) return next();
    if (request instanceof RecordedRequest && response instanceof RecordedResponse) {
      const startedMs = performance.now();
      const dateTime = new Date();
      request.chunks = [];
      response.chunks = [];
      response.on('close', () => {
        const parts = partsOf(request, response);
        const call = {
          traceId,
          dateTime,
          method,
          path: redactPath(url),
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
        };
        log.add(call, withoutSecrets(parts, { mayHaveCode: oauth.test(url) }), sizeOf(parts));
      });
    }
    next();
  });
}

type KeptBody = { body: string; bytes: number };
type KeptParts = {
  request: KeptBody & { headers: string[] };
  response: KeptBody & { headers: OutgoingHttpHeaders };
};

function partsOf(request: RecordedRequest, response: RecordedResponse): KeptParts {
  // Node adds those of `writeHead` to those that were set before, if any were.
  const headers = response.getHeaderNames().length > 0 ? response.getHeaders() : response.headers;
  return {
    request: { headers: request.rawHeaders, ...bodyOf(request.chunks ?? []) },
    response: { headers, ...bodyOf(response.chunks ?? []) },
  };
}

/** About what they keep. A response's headers are ours, and few. */
function sizeOf({ request, response }: KeptParts): number {
  return request.headers.reduce((sum, { length }) => sum + length, request.body.length + response.body.length);
}

function bodyOf(chunks: (string | Uint8Array)[]): KeptBody {
  return { body: textOf(chunks), bytes: chunks.reduce((sum, { length }) => sum + length, 0) };
}

/** As a string, which costs less to keep than buffers. */
function textOf(chunks: (string | Uint8Array)[]): string {
  const [first = ''] = chunks;
  if (chunks.length <= 1 && (typeof first === 'string' || Buffer.isBuffer(first))) return first.toString();
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))).toString();
}

/**
 * As it is shown: nobody looks at most calls, so secrets are taken out when somebody does. By itself, so that it
 * doesn't keep all of the request and its response.
 */
function withoutSecrets({ request, response }: KeptParts, options: { mayHaveCode: boolean }): () => CallParts {
  return () => ({
    request: redactPart({ ...request, headers: pairsOf(request.headers) }, options),
    response: redactPart({ ...response, headers: listed(response.headers) }, { mayHaveCode: false }),
  });
}

function redactPart({ headers, body, bytes }: LoggedPart & KeptBody, options: { mayHaveCode: boolean }): LoggedPart {
  const type = headerOf(headers, 'content-type') ?? '';
  const encoding = headerOf(headers, 'content-encoding');
  const isText = body === '' || (textType.test(type) && !encoding);
  const size = `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const unread = `(${size} of ${[type, encoding].filter(Boolean).join(', ')})`;
  return { headers: redactHeaders(headers), body: isText ? redactBody(body, type, options) : unread };
}

function headerOf(headers: LoggedPart['headers'], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function listed(headers: OutgoingHttpHeaders): LoggedPart['headers'] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
}

function pairsOf(rawHeaders: string[]): LoggedPart['headers'] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}
