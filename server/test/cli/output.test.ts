import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOutput } from '../../src/cli/output.ts';
import { inOneLine } from '../../src/cli/terminal.ts';
import type { Call } from '../../src/cli/verb.ts';

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

test('a hostile text stays on its line and can’t control the terminal', () => {
  const esc = '\u001b';
  const hostile = `one\r\ntwo\nthree${esc}[2J${esc}]0;owned\u0007\u009b31m\u202egnp.exe\u2028four\t\u007f`;
  assert.equal(inOneLine(hostile), 'one⏎two⏎three␛[2J␛]0;owned␇�31m�gnp.exe⏎four ␡');
});
