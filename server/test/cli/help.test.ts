import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { parseArgs } from 'node:util';
import { complete } from '../../src/cli/completion.ts';
import { describe, help, overview, plainPage } from '../../src/cli/help.ts';
import { parseArgsOptions } from '../../src/cli/verb.ts';
import { listVerbs } from '../../src/cli/verbs.ts';
import { root } from '../../src/config.ts';
import { runCommand } from '../support/commands.ts';

const verbs = await listVerbs();
const descriptions = verbs.map(describe);
const command = join(root, 'server/bin/assent');

suite('assent explains itself', () => {
  const run = (...args: string[]) => runCommand(args, {});

  test('without arguments it fits on a screen, in groups, and leaves no word out', async () => {
    const [bare, flag, word] = await Promise.all([run(), run('--help'), run('help')]);
    assert.deepEqual([bare.status, flag.stdout, word.stdout], [0, bare.stdout, bare.stdout]);
    const lines = bare.stdout.trimEnd().split('\n');
    assert.ok(lines.length <= 40 && lines.every((line) => line.length <= 80), bare.stdout);
    for (const audience of ['partners', 'operators', 'compliance'])
      assert.match(bare.stdout, new RegExp(`^For ${audience}`, 'm'));
    const words = new Set(verbs.map(({ name }) => name.split(' ')[0]));
    const shown = new Set(bare.stdout.match(/[\w-]+/g));
    assert.deepEqual(
      [...words].filter((each) => !shown.has(each ?? '')),
      [],
      'add them to the topics in cli/help.ts',
    );
  });

  test('a noun lists its verbs, and a verb is explained in three ways', async () => {
    const [noun, ...said] = await Promise.all([
      run('help', 'keys'),
      run('help', 'keys', 'issue'),
      run('keys', 'issue', '--help'),
      run('keys', 'issue', 'x', '-h'),
    ]);
    assert.ok(noun.stdout.includes('keys set-plan') && !noun.stdout.includes('firms'));
    assert.match(said[0]?.stdout ?? '', /^assent keys issue CLIENT-ID .*^Examples\n {2}assent keys issue app_/ms);
    assert.equal(new Set(said.map(({ status, stdout }) => `${status}${stdout}`)).size, 1);
  });

  test('every verb is found by its first word, and has an example that it takes', async () => {
    for (const verb of verbs) {
      assert.ok((await listVerbs(verb.name.split(' ')[0])).includes(verb), verb.name);
      for (const example of describe(verb).examples) {
        const words = (example.replace(/ [<>].*/, '').match(/'[^']*'|\S+/g) ?? []).map((word) =>
          word.replaceAll("'", ''),
        );
        assert.ok(`${words.join(' ')} `.startsWith(`${verb.name} `), example);
        const args = words.slice(verb.name.split(' ').length);
        const { positionals, values } = parseArgs({ args, options: parseArgsOptions(verb), allowPositionals: true });
        const required = verb.operands?.filter((name) => !name.startsWith('[')) ?? [];
        const count = positionals.length;
        assert.ok(count >= required.length && count <= (verb.operands?.length ?? 0), example);
        for (const [name, { required, oneOf }] of Object.entries(verb.options ?? {})) {
          assert.ok(!required || name in values, example);
          assert.ok(!oneOf || !(name in values) || oneOf.includes(String(values[name])), example);
        }
      }
    }
  });

  test('lines are as wide as the terminal, and examples can still be pasted', () => {
    for (const columns of [60, 80])
      for (const each of descriptions) {
        const text = help(each, { ...plainPage, columns });
        const wide = text.split('\n').filter((line) => line.length > columns);
        // A word, an option or a quoted text is never broken.
        assert.ok(
          wide.every((line) => !line.trim().includes(' ') || /^ {2}(assent| {2}--|--)/.test(line)),
          `${wide}`,
        );
        const pasted = text.replaceAll(/ \\\n +/g, ' ');
        for (const example of each.examples) assert.ok(pasted.includes(`  assent ${example}`), example);
      }
    assert.ok(
      overview(verbs, { ...plainPage, columns: 60 })
        .split('\n')
        .every((line) => line.length <= 60),
    );
  });

  test('the version is the package’s', async () => {
    assert.match((await run('--version')).stdout, /^assent \d+\.\d+\.\d+\n$/);
  });

  test('as a program, help and completion load none of the product', () => {
    const env = { PATH: '/usr/bin:/bin', NODE_DEBUG: 'esm' };
    for (const args of [['--help'], ['help', 'keys'], ['__complete', 'ke']]) {
      const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.ok(stdout.length > 0);
      const loaded = new Set(stderr.match(/server\/src\/[\w./-]+\.ts/g));
      assert.ok(loaded.size > 4, 'the modules are traced');
      assert.ok(loaded.size < 15, [...loaded].join('\n'));
    }
  });
});

suite('assent completes words', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-completion-'));
  after(() => rmSync(folder, { recursive: true }));
  const afterWords = (...words: string[]) =>
    complete(words, descriptions)
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]);

  test('verbs, options and values come by what was typed before; only the shell knows files', () => {
    assert.deepEqual(afterWords('adv'), ['advisors']);
    assert.deepEqual(afterWords('keys', ''), ['issue', 'list', 'set-plan', 'revoke']);
    assert.deepEqual(afterWords('help', 'keys', 'i'), ['issue']);
    assert.deepEqual(afterWords('keys', 'issue', 'app_1', '--r'), ['--rate']);
    assert.deepEqual(afterWords('keys', 'revoke', '3', '--rate', '--y'), ['--yes']);
    assert.deepEqual(afterWords('firms', 'set', '1', '--opt-out-scope', ''), ['advisor', 'firm']);
    assert.deepEqual(afterWords('serve', '--role', 'w'), ['work']);
    assert.deepEqual(afterWords('completion', ''), ['bash', 'zsh', 'fish', '--json']);
    assert.deepEqual(afterWords('contacts', 'import', 'peo'), []);
    assert.ok(!afterWords('contacts', 'import', 'people.csv', '--dry-run', '--').includes('--dry-run'));
  });

  symlinkSync(command, join(folder, 'assent'));
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' };
  const script = (shell: string) => execFileSync(command, ['completion', shell], { encoding: 'utf8' });
  const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
  const skip = (shell: string) => (has(shell) ? false : `${shell} is not installed`);

  test('bash finishes a verb', { skip: skip('bash') }, () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell’s.
    const typed = 'COMP_WORDS=(assent keys is); COMP_CWORD=2; _assent; echo "${COMPREPLY[@]}"; complete -p assent';
    const said = execFileSync('bash', ['--norc', '-c', `${script('bash')}\n${typed}`], { env, encoding: 'utf8' });
    assert.equal(said, 'issue\ncomplete -o default -F _assent assent\n');
  });

  test('zsh finishes a verb', { skip: skip('zsh') }, () => {
    writeFileSync(join(folder, 'assent.zsh'), script('zsh'));
    // A shell of its own at a terminal of its own, in which somebody presses Tab.
    const typed = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=ready; autoload -Uz compinit; compinit -u -D; source ${folder}/assent.zsh; echo loa''ded'
      zpty -r shell said '*loaded*'
      zpty -w -n shell $'assent keys is\\t'
      zpty -r shell said '*issue*' && print finished
      zpty -d shell`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', typed], { env, encoding: 'utf8', timeout: 60_000 });
    assert.match(stdout, /finished/, stderr);
  });

  test('fish finishes a verb, and says what it does', { skip: skip('fish') }, () => {
    const typed = `${script('fish')}\ncomplete -C 'assent keys is'`;
    const said = execFileSync('fish', ['--no-config', '-c', typed], { env, encoding: 'utf8' });
    assert.equal(said, 'issue\tIssue an API key to an application.\n');
  });
});
