import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { CallLog, LoggedPart } from '../../domain/sandbox/call-log.ts';
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
        const [body, answer] = [asked(), answered()];
        const call = {
          traceId: request.id,
          dateTime,
          method,
          path: redactPath(url),
          status: reply.raw.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
        };
        const size = body.length + answer.body.length;
        log.add(withParts(call, { headers: request.raw.rawHeaders, body, mayHaveCode }, answer), size);
      });
    }
    next();
  });
}

type Call = Parameters<CallLog['add']>[0];

/** Secrets are taken out when somebody looks. By itself, so that it doesn't keep all of the request and its answer. */
function withParts(
  call: Omit<Call, 'request' | 'response'>,
  asked: { headers: string[]; body: Buffer; mayHaveCode: boolean },
  answered: { headers: OutgoingHttpHeaders; body: Buffer },
): Call {
  return Object.defineProperties(call as Call, {
    request: { enumerable: true, get: () => partOf(pairsOf(asked.headers), asked.body, asked) },
    response: { enumerable: true, get: () => partOf(listed(answered.headers), answered.body, { mayHaveCode: false }) },
  });
}

function partOf(headers: LoggedPart['headers'], bytes: Buffer, options: { mayHaveCode: boolean }): LoggedPart {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const encoding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  const isText = textType.test(type) && !encoding;
  const body = isText ? redactBody(bytes.toString('utf8'), type, options) : `(${bytes.length} bytes)`;
  return { headers: redactHeaders(headers), body: bytes.length === 0 ? '' : body };
}

/** What Node's parser pushes into the request, also if nobody reads it. */
function copyPushed(request: IncomingMessage): () => Buffer {
  const chunks: Buffer[] = [];
  const push = request.push;
  request.push = function (chunk, ...more) {
    if (chunk) chunks.push(Buffer.from(chunk));
    return push.call(this, chunk, ...more);
  };
  return () => Buffer.concat(chunks);
}

function copyWritten(response: ServerResponse): () => { headers: OutgoingHttpHeaders; body: Buffer } {
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
  return () => ({ headers: { ...response.getHeaders(), ...given }, body: Buffer.concat(chunks) });
}

function listed(headers: OutgoingHttpHeaders): LoggedPart['headers'] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
}

function pairsOf(rawHeaders: string[]): LoggedPart['headers'] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}
