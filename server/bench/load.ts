import { once } from 'node:events';
import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { median } from './tables.ts';
import { loadByWrk, wrk } from './wrk.ts';

export type Load = { count: number; perSecond: number; p50Ms: number; p99Ms: number };
export type LoadOptions = {
  port: number;
  requests: Buffer[];
  connections: number;
  seconds: number;
  /** Part of the body of every good answer. By default that of a send that was accepted for all recipients. */
  expected?: string;
};

/** A keep-alive connection with one request at a time. */
export type Connection = {
  /** The answer's body. Anything but a 200 with what is expected is an error. */
  post(request: Buffer): Promise<string>;
  close(): void;
};

const answerMsMax = 20_000;

/** Sends the same requests in turn over several connections: by wrk where it is installed, otherwise by ourselves. */
export function load(options: LoadOptions): Promise<Load> {
  return wrk ? loadByWrk(wrk, options) : loadBySockets(options);
}

/** The same, with the connections spread over several servers. */
export async function loadAll(ports: number[], options: Omit<LoadOptions, 'port'>): Promise<Load> {
  const connections = options.connections / ports.length;
  const loads = await Promise.all(ports.map((port) => load({ ...options, port, connections })));
  const sum = (field: 'count' | 'perSecond') => loads.reduce((total, each) => total + each[field], 0);
  const most = (field: 'p50Ms' | 'p99Ms') => Math.max(...loads.map((each) => each[field]));
  return { count: sum('count'), perSecond: sum('perSecond'), p50Ms: most('p50Ms'), p99Ms: most('p99Ms') };
}

/**
 * On two cores the client takes CPU time from the server, so requests are built in advance, and only the necessary part of
 * an answer is read.
 */
async function loadBySockets({ port, requests, connections, seconds, expected }: LoadOptions): Promise<Load> {
  const microseconds = createHistogram();
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port, expected)));
  const began = performance.now();
  const until = began + seconds * 1000;
  let next = 0;

  async function keepPosting({ post }: Connection): Promise<void> {
    for (let sentAt = performance.now(); sentAt < until; sentAt = performance.now()) {
      await post(requests[next++ % requests.length] as Buffer);
      microseconds.record(Math.max(1, Math.round((performance.now() - sentAt) * 1000)));
    }
  }

  try {
    await Promise.all(opened.map(keepPosting));
  } finally {
    for (const connection of opened) connection.close();
  }
  const { count } = microseconds;
  return {
    count,
    perSecond: count / ((performance.now() - began) / 1000),
    p50Ms: microseconds.percentile(50) / 1000,
    p99Ms: microseconds.percentile(99) / 1000,
  };
}

export async function openConnection(port: number, expected = '"failures":[]'): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let waiting: { resolve(body: string): void; reject(error: Error): void } | undefined;
  let text = '';

  socket.setTimeout(answerMsMax, () => socket.destroy(new Error('There was no answer.')));
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection.')));
  // One character per byte, so that lengths agree.
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
    const body = bodyOf(text);
    if (body === undefined || !waiting) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    if (isAccepted(text, body, expected)) resolve(body);
    else reject(new Error(`A request was answered with: ${text}`));
    text = '';
  });

  return {
    post: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

/** By us, with what is expected; or by Kannel. */
function isAccepted(answer: string, body: string, expected: string): boolean {
  if (answer.startsWith('HTTP/1.1 202 ')) return true;
  return answer.startsWith('HTTP/1.1 200 ') && body.includes(expected);
}

/** Undefined while the answer is incomplete. Our answers have a length; one without it counts as empty. */
function bodyOf(answer: string): string | undefined {
  const headLength = answer.indexOf('\r\n\r\n');
  if (headLength < 0) return undefined;
  const [, length = '0'] = /\r\ncontent-length: (\d+)\r\n/i.exec(answer) ?? [];
  const body = answer.slice(headLength + 4);
  return body.length < Number(length) ? undefined : body.slice(0, Number(length));
}

export function medianOf(loads: Load[]): Load {
  const of = (field: keyof Load) => median(loads.map((each) => each[field]));
  return { count: of('count'), perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

/** A request as bytes, made in advance. */
export function postRequest(path: string, headers: Record<string, string>, body: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const all = Object.entries({ host: 'localhost', ...headers, 'content-length': bytes.length });
  const head = [`POST ${path} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '\r\n'];
  return Buffer.concat([Buffer.from(head.join('\r\n')), bytes]);
}
