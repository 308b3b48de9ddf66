import { connect, type Socket } from 'node:net';
import type { App } from '../../src/app.ts';
import type { Answer } from './world.ts';

/** Only tells late from never. */
const answerMs = 60_000;

/** Listens on a free loopback port until the app is closed. */
export async function listen(app: App): Promise<number> {
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(address).port);
}

/** A connection on which a test writes any bytes and reads the answers. */
export type Wire = {
  write(bytes: string | Buffer): void;
  /** Ends the request side and still reads. */
  end(): void;
  /** The next complete answer. */
  answer(): Promise<Answer>;
  /** Everything that arrives until the server closes the connection. */
  rest(): Promise<string>;
  destroy(): void;
};

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const received = receiver(socket);
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    answer: () => received.take(answerIn, 'an answer'),
    rest: () => received.take((bytes, closed) => (closed ? [bytes.toString('latin1'), bytes.length] : null), 'the end'),
    destroy: () => void socket.destroy(),
  };
}

/** Sends one request on a new connection and returns the answer. */
export async function exchange(port: number, bytes: string | Buffer): Promise<Answer> {
  const wire = await openWire(port);
  try {
    wire.write(bytes);
    return await wire.answer();
  } finally {
    wire.destroy();
  }
}

type TakenValue<Value> = [Value, number] | null;

function receiver(socket: Socket) {
  let bytes: Buffer = Buffer.alloc(0);
  let closed = false;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  // A reset ends the connection like a close; the bytes before it count.
  socket.on('error', () => {});
  for (const end of ['end', 'close'] as const)
    socket.on(end, () => {
      closed = true;
      wake();
    });
  return {
    async take<Value>(take: (bytes: Buffer, closed: boolean) => TakenValue<Value>, what: string): Promise<Value> {
      const deadline = Date.now() + answerMs;
      for (;;) {
        const taken = take(bytes, closed);
        if (taken) {
          bytes = bytes.subarray(taken[1]);
          return taken[0];
        }
        const late = Date.now() > deadline;
        if (closed || late)
          throw new Error(`${late ? 'Timed out' : 'Closed'} before ${what}: ${bytes.toString('latin1')}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 1_000);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}

function answerIn(bytes: Buffer): TakenValue<Answer> {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (status === 100) return answerAfter(bytes, headEnd + 4);
  const body = headers['transfer-encoding'] ? chunksIn(bytes, headEnd + 4) : lengthIn(bytes, headEnd + 4, headers);
  if (!body) return null;
  const [text, end] = body;
  const isJson = text !== '' && /json/.test(headers['content-type'] ?? '');
  return [{ status, headers, body: isJson ? JSON.parse(text) : text }, end];
}

function lengthIn(bytes: Buffer, start: number, headers: Record<string, string | undefined>): TakenValue<string> {
  const end = start + Number(headers['content-length'] ?? 0);
  return bytes.length < end ? null : [bytes.subarray(start, end).toString(), end];
}

function chunksIn(bytes: Buffer, start: number): TakenValue<string> {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    at = lineEnd + 2 + size + 2;
    if (bytes.length < at) return null;
    if (size === 0) return [Buffer.concat(chunks).toString(), at];
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
  }
}

/** The answer that follows a `100 Continue`. */
function answerAfter(bytes: Buffer, start: number): TakenValue<Answer> {
  const taken = answerIn(bytes.subarray(start));
  return taken && [taken[0], taken[1] + start];
}
