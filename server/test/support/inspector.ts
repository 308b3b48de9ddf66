import type { Program } from './programs.ts';
import { until } from './waiting.ts';

/** Makes a server listen for a debugger. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Runs an expression in the thread of a server's worker, as a debugger would. */
export async function evaluateInWorker(program: Program, expression: string): Promise<void> {
  const listening = /Debugger listening on (ws:\S+)/;
  await until('it listens for a debugger', () => listening.test(program.said()));
  const socket = new WebSocket(listening.exec(program.said())?.[1] ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const attached = new Promise<string>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = JSON.parse(String(data));
      if (method === 'NodeWorker.attachedToWorker') resolve(params.sessionId);
    });
  });
  const ask = (id: number, method: string, params: object) => socket.send(JSON.stringify({ id, method, params }));
  ask(1, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
  ask(2, 'NodeWorker.sendMessageToWorker', { sessionId: await attached, message });
  await until('it is sent', () => socket.bufferedAmount === 0);
  socket.close();
}
