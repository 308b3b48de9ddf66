import { fork } from 'node:child_process';

/** A far end of the network, in a process of its own, whose functions a test calls by name. */
export type FarEnd = {
  call(name: string, ...args: unknown[]): Promise<never>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

type Call = { id: number; name: string; args: unknown[] };
type Answer = { id: number; value?: never; fault?: string };

export function startFarEnd(program: string): FarEnd {
  const child = fork(program);
  const pending = new Map<number, PromiseWithResolvers<never>>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let ids = 0;
  child.on('message', (answer: Answer) => {
    const { resolve, reject } = pending.get(answer.id) ?? {};
    if (answer.fault) reject?.(new Error(answer.fault));
    else resolve?.(answer.value as never);
  });
  return {
    call(name, ...args) {
      const call = Promise.withResolvers<never>();
      pending.set(++ids, call);
      child.send({ id: ids, name, args } satisfies Call);
      return call.promise;
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

/** In that process: answers calls until the test is gone. */
export function answerCalls(functions: Record<string, (...args: never[]) => unknown>): void {
  process.on('message', async ({ id, name, args }: Call) => {
    try {
      process.send?.({ id, value: await functions[name]?.(...(args as never[])) });
    } catch (error) {
      process.send?.({ id, fault: String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
}
