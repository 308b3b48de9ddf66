import { runCommand } from '../test/support/commands.ts';
import { until } from '../test/support/waiting.ts';

type Env = Record<string, string>;

/** What an operator's command prints; it must succeed. */
export async function command(env: Env, args: string[], stdin?: string): Promise<string> {
  const { status, stdout, stderr } = await runCommand(args, env, stdin);
  if (status !== 0) throw new Error(`assent ${args.join(' ')}: ${stderr}`);
  return stdout;
}

export type SmscOptions = {
  port: number;
  window: number;
  perSecondMax?: number;
  numbers: string[];
  boundMs: number;
  name?: string;
  times?: Record<string, number>;
};

const quickTimes = { beginMs: 1_000, responseMs: 1_500, reconnectMs: 50, reconnectMsMax: 500 };

/** Adds an SMSC as a carrier, moves the numbers to it, and waits until the first of them can text. */
export async function connectSmsc(
  env: Env,
  { port, numbers, boundMs, name = 'peer', ...more }: SmscOptions,
): Promise<void> {
  const settings = {
    hosts: [{ host: '127.0.0.1', port }],
    systemId: 'assent',
    password: 'secret',
    times: quickTimes,
    ...more,
  };
  await command(env, ['carriers', 'add', name, '--kind', 'smpp', '--settings', '-'], JSON.stringify(settings));
  for (const number of numbers) await command(env, ['numbers', 'set', number, '--carrier', name]);
  const [first = ''] = numbers;
  const canText = async () => (await runCommand(['numbers', 'check', first], env)).status === 0;
  await until('it is bound', canText, boundMs, 500);
}
