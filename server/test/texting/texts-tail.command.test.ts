import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, suite, test } from 'node:test';
import { inOneLine, widthOf } from '../../src/cli/terminal.ts';
import { archive, byOperator, byPerson } from '../../src/domain/archive/archive.ts';
import type { TextKind } from '../../src/domain/ports.ts';
import { ensureMembers } from '../../src/domain/texting/recipients.ts';
import { acceptTexts, textTo } from '../../src/domain/texting/texts.ts';
import { commandsWith } from '../support/commands.ts';
import { launchCommand } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';

const phone = '+15005550006';
const textingNumber = '+15005551001';
const esc = '\u001b';

suite('assent texts tail', () => {
  let world: World;
  let folder: string;
  const watching: ChildProcess[] = [];
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-tail-'));
  });
  after(async () => {
    for (const child of watching) child.kill('SIGKILL');
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder });
  const { refused } = commandsWith(env);

  type Tail = Awaited<ReturnType<typeof watch>>;

  /** Starts the command and waits for an earlier text to show: from then on it sees new ones arrive. */
  async function watch(...args: string[]) {
    await send(world.ann, 'already there');
    const child = launchCommand(['texts', 'tail', '--last', '1', ...args], env());
    watching.push(child);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
      child.once('close', (code, signal) => resolve(code ?? signal)),
    );
    await until('the command shows the earlier text', () => said.includes('already there'));
    return {
      child,
      lines: () => said.split('\n').slice(1, -1),
      /** What it shows from here on. */
      forget() {
        said = '\n';
      },
      shows: (text: string) => until(`the command shows ${text}`, () => said.includes(text)),
      async end(signal: NodeJS.Signals = 'SIGINT') {
        child.kill(signal);
        return ended;
      },
      ended,
    };
  }

  async function memberOf({ advisor: { advisorId } }: Person): Promise<number> {
    await world.deps.db.transaction((db) => ensureMembers({ ...world.deps, db }, [{ advisorId, phone }]));
    const [row] = await world.deps.db.query<{ memberId: number }>(
      'select member_id as "memberId" from members where advisor_id = $1 and phone = $2',
      [advisorId, phone],
    );
    return row?.memberId ?? -1;
  }

  async function send(person: Person, text: string, kind: TextKind = 'text', heldSince: Date | null = null) {
    const to = {
      memberId: await memberOf(person),
      phone,
      heldSince,
      name: null,
      textingNumber,
      textingPace: null,
      carrierId: 1,
    };
    const taken = textTo(to, { advisorId: person.advisor.advisorId, kind, text, by: byOperator });
    await world.deps.db.transaction((db) => acceptTexts({ ...world.deps, db }, [taken]));
  }

  async function note(person: Person, kind: 'text_in' | 'consent', meta: object, body = ''): Promise<void> {
    const { advisorId } = person.advisor;
    await archive(world.deps, byPerson, { advisorId, kind, memberId: await memberOf(person), meta, body });
  }

  suite('without options', () => {
    let tail: Tail;
    before(async () => {
      tail = await watch();
    });
    beforeEach(() => tail.forget());
    after(async () => {
      assert.equal(await tail.end('SIGINT'), 0);
    });

    test('shows each text and consent change on its own line as it happens', async () => {
      await send(world.ann, 'Your review is due.');
      await send(world.ann, 'May I text you?', 'consent_request');
      await note(world.ann, 'consent', { from: 'none', to: 'pending' });
      await note(world.ann, 'text_in', {}, 'ACCEPT');
      await note(world.ann, 'text_in', { media: [{ contentType: 'image/png' }, { contentType: 'image/png' }] });
      await send(world.ann, 'You agreed.', 'opt_in');
      await tail.shows('You agreed.');
      const time = /^\d\d:\d\d:\d\d /;
      assert.ok(tail.lines().every((line) => time.test(line)));
      assert.deepEqual(
        tail.lines().map((line) => line.replace(time, '')),
        [
          '→ ann  +1 ••• ••• 0006  Your review is due.',
          '→ ann  +1 ••• ••• 0006  [consent request] May I text you?',
          '● ann  +1 ••• ••• 0006  consent none → pending',
          '← ann  +1 ••• ••• 0006  ACCEPT',
          '← ann  +1 ••• ••• 0006  [with 2 media] ',
          '→ ann  +1 ••• ••• 0006  [confirmation] You agreed.',
        ],
      );
    });

    test('shows a held text as held', async () => {
      await send(world.ann, 'Are you there?', 'text', new Date());
      await send(world.ann, 'May I text you?', 'consent_request', new Date());
      await tail.shows('May I text you?');
      assert.deepEqual(
        tail.lines().map((line) => line.replace(/^.*0006 {2}/, '')),
        ['[held] Are you there?', '[consent request, held] May I text you?'],
      );
    });

    test('a hostile text stays on its line and can’t reach the terminal', async () => {
      const hostile = `one\r\ntwo\nthree${esc}[2J${esc}]0;owned\u0007\u009b31m\u202egnp.exe\u2028four`;
      await note(world.ann, 'text_in', {}, hostile);
      await send(world.ann, 'afterwards');
      await tail.shows('afterwards');
      assert.equal(tail.lines().length, 2);
      assert.match(tail.lines()[0] ?? '', / one⏎two⏎three␛\[2J␛\]0;owned␇�31m�gnp\.exe⏎four$/);
    });

    test('a long text is not cut when stdout is not a terminal', async () => {
      await send(world.ann, 'word '.repeat(300).trim());
      await tail.shows('word\n');
      assert.ok(tail.lines()[0]?.endsWith('word '.repeat(300).trim()));
    });
  });

  test('shows full numbers on request, and only one advisor’s texts', async () => {
    const reads = async ({ advisor: { advisorId } }: Person) =>
      (
        await world.database.asOwner(
          `select from archive_entries where advisor_id = $1 and kind = 'text_read' and actor = 'operator'`,
          [advisorId],
        )
      ).length;
    const before = [await reads(world.ann), await reads(world.bob)];
    const tail = await watch('--numbers', '--advisor', 'ann@test.example');
    await send(world.bob, 'from bob');
    await send(world.ann, 'from ann');
    await tail.shows('from ann');
    assert.equal(tail.lines().length, 1);
    assert.match(tail.lines()[0] ?? '', /→ ann {2}\+15005550006 {2}from ann$/);
    const [ofAnn = 0, ofBob] = before;
    const now = [await reads(world.ann), await reads(world.bob)];
    assert.deepEqual(now, [ofAnn + 1, ofBob], 'whose texts were read is on record, once');
    assert.equal(await tail.end('SIGTERM'), 0);
  });

  suite('with --json', () => {
    let tail: Tail;
    before(async () => {
      tail = await watch('--json');
    });
    beforeEach(() => tail.forget());
    after(async () => {
      assert.equal(await tail.end('SIGINT'), 0);
    });

    test('with --json each is an object on one line', async () => {
      await send(world.ann, `red ${esc}[31m\n\u009bdead`);
      await note(world.ann, 'consent', { from: 'accepted', to: 'opted_out' });
      await tail.shows('opted_out');
      const [text, consent] = tail.lines().map((line) => JSON.parse(line));
      const whose = { advisorId: world.ann.advisor.advisorId, advisorName: 'ann', phone: '+1 ••• ••• 0006' };
      const { number, dateTime, ...rest } = text;
      assert.deepEqual(rest, {
        ...whose,
        event: 'out',
        kind: 'text',
        text: `red ${esc}[31m\n\u009bdead`,
        heldReason: null,
      });
      assert.ok(Date.now() - Date.parse(dateTime) < 60_000);
      assert.deepEqual([consent.event, consent.from, consent.to], ['consent', 'accepted', 'opted_out']);
      assert.equal(consent.number, number + 1);
      assert.doesNotMatch(tail.lines().join(''), /[\p{Cc}]/u);
    });

    test('misses and repeats none of many texts that several send at once', async () => {
      const texts = Array.from({ length: 60 }, (_, index) => `text ${index}.`);
      await Promise.all(texts.map((text, index) => send(index % 2 ? world.ann : world.bob, text)));
      await until('all are shown', () => tail.lines().length >= texts.length);
      const shown = tail.lines().map((line) => JSON.parse(line));
      assert.deepEqual(shown.map(({ text }) => text).sort(), texts.sort());
    });
  });

  test('begins with the requested number of texts, oldest first, from all advisors', async () => {
    for (const [person, text] of [
      [world.ann, 'first'],
      [world.bob, 'second'],
      [world.ann, 'third'],
    ] as const)
      await send(person, text);
    const child = launchCommand(['texts', 'tail', '--last', '3'], env());
    watching.push(child);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    await until('three are shown', () => said.split('\n').length > 3);
    assert.deepEqual(said.match(/\w+$/gm), ['first', 'second', 'third']);
  });

  test('exits 0 when its reader is gone', async () => {
    const tail = await watch();
    tail.child.stdout?.destroy();
    await send(world.ann, 'into the void');
    await send(world.ann, 'and again');
    assert.equal(await tail.ended, 0);
  });

  test('a wrong option exits 2, an unknown advisor 1', async () => {
    await refused(2, [[['texts', 'tail', '--last', 'ten'], /--last must be a whole number/]]);
    await refused(1, [[['texts', 'tail', '--advisor', 'nobody@test.example'], /no advisor nobody/]]);
  });
});

test('a line’s width is the number of visible columns', () => {
  assert.equal(widthOf('cafe\u0301'), 4);
  assert.equal(widthOf('日本'), 4);
  assert.equal(widthOf('👨‍👩‍👧'), 2);
  assert.equal(inOneLine('tab\there\u007f'), 'tab here␡');
});
