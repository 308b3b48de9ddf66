import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { CallLog, CallParts, LoggedPart } from '../../domain/sandbox/call-log.ts';
import { redactBody, redactHeaders, redactPath } from '../../domain/sandbox/redaction.ts';

/** The partner API, the token endpoint and the sandbox's own routes. */
const recorded = /^\/(?:v\d+(?:\/|\?|$)|oauth\/(?:token|revoke|introspect)|sandbox\/)/;
const oauth = /^\/oauth\//;
const textType = /json|text|xml|x-www-form-urlencoded|^$/i;

/**
 * Records calls as they go over the wire, whichever route answers them and however. It is the first hook, so that nothing of the body
 * has been read.
 */
export function recordCalls(app: FastifyInstance, log: CallLog): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { url = '/', method = '' } = request.raw;
    if (recorded.test(url)) {
      const startedMs = performance.now();
      const dateTime = new Date();
      const asked = copyPushed(request.raw);
      const answered = copyWritten(reply.raw);
      const mayHaveCode = oauth.test(url);
      reply.raw.once('close', () => {
        const response = answered();
        // As one string: a thousand calls with all their objects would pass through every collection of garbage.
        const parts = JSON.stringify({
          request: partOf(pairsOf(request.raw.rawHeaders), Buffer.concat(asked)),
          response: partOf(listed(response.headers), Buffer.concat(response.chunks)),
        });
        const call = {
          traceId: request.id,
          dateTime,
          method,
          path: redactPath(url),
          status: reply.raw.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
        };
        log.add(call, withoutSecrets(parts, { mayHaveCode }), parts.length);
      });
    }
    next();
  });
}

function partOf(headers: LoggedPart['headers'], bytes: Buffer): LoggedPart {
  const isText = textType.test(headerOf(headers, 'content-type') ?? '') && !headerOf(headers, 'content-encoding');
  return { headers, body: isText || bytes.length === 0 ? bytes.toString('utf8') : `(${bytes.length} bytes)` };
}

/** Secrets are taken out when somebody looks. By itself, so that it doesn't keep all of the request and its answer. */
function withoutSecrets(parts: string, options: { mayHaveCode: boolean }): () => CallParts {
  return () => {
    const { request, response } = JSON.parse(parts) as CallParts;
    return { request: redactPart(request, options), response: redactPart(response, { mayHaveCode: false }) };
  };
}

function redactPart({ headers, body }: LoggedPart, options: { mayHaveCode: boolean }): LoggedPart {
  const type = headerOf(headers, 'content-type') ?? '';
  return { headers: redactHeaders(headers), body: body === '' ? '' : redactBody(body, type, options) };
}

function headerOf(headers: LoggedPart['headers'], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** What Node's parser pushes into the request, also if nobody reads it. */
function copyPushed(request: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  const push = request.push;
  request.push = function (chunk, ...more) {
    if (chunk) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return push.call(this, chunk, ...more);
  };
  return chunks;
}

function copyWritten(response: ServerResponse): () => { headers: OutgoingHttpHeaders; chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  let given: OutgoingHttpHeaders = {};
  let isEnding = false;
  const { writeHead, write, end } = response;
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as Uint8Array));
  };
  Object.assign(response, {
    // biome-ignore lint/suspicious/noExplicitAny: Node has several forms of each.
    writeHead(this: ServerResponse, ...args: any[]) {
      const headers = args.at(-1);
      if (headers && typeof headers === 'object' && !Array.isArray(headers)) given = { ...given, ...headers };
      return Reflect.apply(writeHead, this, args);
    },
    write(this: ServerResponse, ...args: unknown[]) {
      if (!isEnding) keep(args[0]);
      return Reflect.apply(write, this, args);
    },
    end(this: ServerResponse, ...args: unknown[]) {
      keep(args[0]);
      // It may write what it was given.
      isEnding = true;
      return Reflect.apply(end, this, args);
    },
  });
  return () => ({ headers: { ...response.getHeaders(), ...given }, chunks });
}

function listed(headers: OutgoingHttpHeaders): LoggedPart['headers'] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
}

function pairsOf(rawHeaders: string[]): LoggedPart['headers'] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}
