import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { CommandResult } from './programs.ts';

type Env = Record<string, string>;

/** Runs the operator's command in the test's process: the same code as `assent`, without half a second to start it. */
export async function runCommand(args: string[], env: Env, stdin = ''): Promise<CommandResult> {
  const said = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof said) =>
    new Writable({
      decodeStrings: false,
      write(text, _, done) {
        said[name] += text;
        done();
      },
    });
  const streams = { stdin: Readable.from([stdin]), stdout: collect('stdout'), stderr: collect('stderr') };
  return { status: await main(args, env, streams), ...said };
}

/** Commands that share an environment, which a suite may know only after its world is made. */
export function commandsWith(env: () => Env) {
  const run = (args: string[], stdin?: string): Promise<CommandResult> => runCommand(args, env(), stdin);
  return {
    run,
    /** The records that a verb prints; the verb must succeed. */
    async records(args: string[], stdin?: string) {
      const { status, stdout, stderr } = await run([...args, '--json'], stdin);
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    },
    /** Each call fails with this exit code (1 for a refusal, 2 for a wrong call, 3 where those mean something else), says why, and prints nothing on stdout. */
    async refused(status: 1 | 2 | 3, each: [args: string[], why: RegExp][]): Promise<void> {
      for (const [args, why] of each) {
        const said = await run(args);
        assert.equal(said.status, status, `${args.join(' ')}: ${said.stderr}`);
        assert.match(said.stderr, why);
        assert.doesNotMatch(said.stderr, /^\s+at /m);
        assert.equal(said.stdout, '');
      }
    },
  };
}
