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

  // biome-ignore lint/suspicious/noExplicitAny: Node has several forms of each.
  override writeHead(...args: any[]): this {
    const headers = args.at(-1);
    if (headers && typeof headers === 'object' && !Array.isArray(headers)) this.headers = headers;
    return Reflect.apply(super.writeHead, this, args);
  }

  override write(...args: unknown[]): boolean {
    this.keep(args[0]);
    return Reflect.apply(super.write, this, args);
  }

  override end(...args: unknown[]): this {
    this.keep(args[0]);
    return Reflect.apply(super.end, this, args);
  }

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
    if (recorded.test(url) && request instanceof RecordedRequest && response instanceof RecordedResponse) {
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
        log.add(call, withoutSecrets(parts, { mayHaveCode: oauth.test(url) }), parts.length);
      });
    }
    next();
  });
}

/** As one string: a thousand calls with all their objects would pass through every collection of garbage. */
function partsOf(request: RecordedRequest, response: RecordedResponse): string {
  const headers = { ...response.getHeaders(), ...response.headers };
  return JSON.stringify({
    request: { headers: request.rawHeaders, body: bodyOf(request.headers, request.chunks) },
    response: { headers, body: bodyOf(headers, response.chunks) },
  });
}

type KeptParts = {
  request: { headers: string[]; body: string };
  response: { headers: OutgoingHttpHeaders; body: string };
};

function bodyOf(headers: OutgoingHttpHeaders, chunks: (string | Uint8Array)[] | null): string {
  const [only = '', ...others] = chunks ?? [];
  if (typeof only === 'string' && others.length === 0) return only;
  const bytes = Buffer.concat(
    [only, ...others].map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
  );
  const isText = textType.test(String(headers['content-type'] ?? '')) && !headers['content-encoding'];
  return isText ? bytes.toString('utf8') : `(${bytes.length} bytes)`;
}

/** Secrets are taken out when somebody looks. By itself, so that it doesn't keep all of the request and its answer. */
function withoutSecrets(parts: string, options: { mayHaveCode: boolean }): () => CallParts {
  return () => {
    const { request, response } = JSON.parse(parts) as KeptParts;
    return {
      request: redactPart({ ...request, headers: pairsOf(request.headers) }, options),
      response: redactPart({ ...response, headers: listed(response.headers) }, { mayHaveCode: false }),
    };
  };
}

function redactPart({ headers, body }: LoggedPart, options: { mayHaveCode: boolean }): LoggedPart {
  const type = headerOf(headers, 'content-type') ?? '';
  return { headers: redactHeaders(headers), body: body === '' ? '' : redactBody(body, type, options) };
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
