import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { suite, test } from 'node:test';
import { makeOutput } from '../../src/cli/output.ts';
import { showScreen } from '../../src/cli/screen.ts';
import type { Call } from '../../src/cli/verb.ts';

suite('a live view', () => {
  /** Shows it at a terminal of five rows until the second drawing, or until reading fails. */
  async function shown(read: (drawing: number) => string): Promise<string> {
    let said = '';
    const ending = new AbortController();
    const write = (text: string, _: string, done: () => void) => {
      said += text;
      done();
    };
    const stdout = Object.assign(new Writable({ decodeStrings: false, write }), { isTTY: true, rows: 5 });
    const call = { switches: new Set(), streams: { stdout }, until: ending.signal } as unknown as Call;
    let drawing = 0;
    await showScreen(call, async () => {
      drawing += 1;
      if (drawing === 2) ending.abort();
      return read(drawing);
    }).catch(() => {});
    return said;
  }
  const leave = '\x1b[?25h\x1b[?1049l';

  test('has a screen of its own, and gives the terminal back as it was', async () => {
    const said = await shown((drawing) => `drawing ${drawing}`);
    assert.ok(said.startsWith('\x1b[?1049h\x1b[?25l\x1b[Hdrawing 1\x1b[K\x1b[J\x1b[Hdrawing 2'), JSON.stringify(said));
    assert.ok(said.endsWith(leave));
    const failed = await shown(() => {
      throw new Error('the database is gone');
    });
    assert.ok(failed.endsWith(leave));
  });

  test('never scrolls: what doesn’t fit is counted', async () => {
    const said = await shown(() => Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n'));
    assert.match(said, /line 3.*\n… 5 more lines/);
    assert.doesNotMatch(said, /line 4/);
  });
});

test('progress is a bar, or a count where nobody knows the total; what is said next takes its line', () => {
  let said = '';
  const terminal = { isTTY: true, write: (text: string) => (said += text) } as unknown as NodeJS.WriteStream;
  const told = (tell: (out: ReturnType<typeof makeOutput>) => void) => {
    said = '';
    tell(makeOutput({ stdin: process.stdin, stdout: terminal, stderr: terminal }, false));
    return said;
  };
  assert.equal(
    told((out) => out.progress('Verifying', 1, 2)),
    `\rVerifying ${'█'.repeat(15)}${'░'.repeat(15)}  50 %`,
  );
  assert.equal(
    told((out) => {
      out.progress('Comparing', 12_345, null);
      out.note('Everything agrees.');
    }),
    '\rComparing 12,345\r\x1b[KEverything agrees.\n',
  );
});

test('what a table and JSON show can’t control the terminal', () => {
  for (const json of [false, true]) {
    let said = '';
    const stdout = { write: (text: string) => (said += text) };
    makeOutput({ stdout } as unknown as Call['streams'], json).records([
      { name: 'Eve\x1b[2J\x9b31m\u202e', tags: ['\x1b]0;owned\x07', 'b'] },
    ]);
    assert.match(said, /Eve/);
    assert.doesNotMatch(said, /(?!\n)\p{Cc}|\u202e/u);
  }
});
