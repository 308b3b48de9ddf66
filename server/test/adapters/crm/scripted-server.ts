import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CrmRequest = { method: string; path: string; headers: IncomingMessage['headers']; body: string };
export type Answers = (asked: CrmRequest, response: ServerResponse) => void | Promise<void>;

/** A server that answers as the test's `answers` says. */
export type ScriptedServer = { url: string; answers: Answers; asked: CrmRequest[]; close(): Promise<void> };

export async function startScriptedServer(): Promise<ScriptedServer> {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url: path = '', headers } = request;
      const asked = { method, path, headers, body: Buffer.concat(chunks).toString() };
      server.asked.push(asked);
      await server.answers(asked, response);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: ScriptedServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    answers: (_asked, response) => void response.writeHead(404).end(),
    asked: [],
    async close() {
      const gone = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await gone;
    },
  };
  return server;
}

/** Sends the same text again and again until the connection is closed. */
export function endlessly(response: ServerResponse, text: string): void {
  const more = () => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', more);
  more();
}

/** Sends a byte now and then. */
export function drip(response: ServerResponse, everyMs = 50): void {
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}
