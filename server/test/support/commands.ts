import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Said } from './programs.ts';

type Env = Record<string, string>;

/** The operator's command in the test's own process: the same code as `assent` without the half second that a start costs. */
export async function runCommand(args: string[], env: Env, stdin = ''): Promise<Said> {
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

/** The command with the same environment each time; a suite may learn it only once its world is there. */
export function commandsWith(env: () => Env) {
  const run = (args: string[], stdin?: string): Promise<Said> => runCommand(args, env(), stdin);
  return {
    run,
    /** What a verb that must succeed prints, as records. */
    async records(args: string[], stdin?: string) {
      const { status, stdout, stderr } = await run([...args, '--json'], stdin);
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    },
    /** Each fails with this exit code, 1 for a refusal and 2 for a typing error, says why, and prints nothing on stdout. */
    async refused(status: 1 | 2, each: [args: string[], why: RegExp][]): Promise<void> {
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
