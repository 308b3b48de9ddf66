import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Deps, inTransaction } from '../../src/deps.ts';
import { exportContacts } from '../../src/domain/address-book/contact-exports.ts';
import { createContacts } from '../../src/domain/address-book/contacts.ts';
import { archive, byOperator } from '../../src/domain/archive/archive.ts';
import { checkMessage } from '../../src/domain/messages/message-checks.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { phrasesFinder } from '../../src/domain/shared/text/phrases.ts';
import { dryRun } from '../../src/domain/supervision/dry-runs.ts';
import { hideNumbersIn } from '../../src/domain/supervision/findings.ts';
import { matcherInTurns } from '../../src/domain/supervision/lexicon-matching.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { makeScreeners } from '../../src/domain/supervision/screeners.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

const people = 300;
const pageMax = 100;

/** Work that asks for a turn after so little of it can be held up by others, and holds nobody up. */
suite('between two turns', () => {
  let world: World;
  let advisorId: number;
  const phones = Array.from({ length: people }, (_, index) => `+1212556${String(index).padStart(4, '0')}`);
  before(async () => {
    world = await makeWorld();
    ({ advisorId } = world.ann.advisor);
    await createContacts(
      world.deps,
      advisorId,
      phones.map((phone) => ({ phone })),
      0,
    );
  });
  after(() => world.close());

  /** The same, counting turns and the most rows that any statement reads. */
  function counted(): { deps: Deps; turns(): number; rowsMax(): number } {
    let [turns, rowsMax] = [0, 0];
    const { db } = world.deps;
    const query: Deps['db']['query'] = async <Row extends object>(...statement: Parameters<typeof db.query>) => {
      const rows = await db.query<Row>(...statement);
      rowsMax = Math.max(rowsMax, rows.length);
      return rows;
    };
    const turn = async () => {
      turns += 1;
    };
    return { deps: { ...world.deps, turn, db: { ...db, query } }, turns: () => turns, rowsMax: () => rowsMax };
  }

  test('a check decides about one person, and reads a hundred', async () => {
    const { deps, turns, rowsMax } = counted();
    const checks = await checkMessage(deps, advisorId, { text: 'Hello', phoneNumbers: phones }, byOperator);
    assert.equal(checks.length, people);
    assert.ok(turns() >= people && rowsMax() <= pageMax, `${turns()} turns, ${rowsMax()} rows`);
  });

  test('an export has a hundred contacts in memory', async () => {
    const { deps, turns, rowsMax } = counted();
    let exported = 0;
    for await (const some of exportContacts(deps, advisorId)) exported += some.length;
    assert.ok(exported >= people && turns() >= people / pageMax && rowsMax() <= pageMax, `${turns()}, ${rowsMax()}`);
  });

  test('a dry run reads one text', async () => {
    const phone = await acceptedPhone(world, world.ann);
    for (let count = 0; count < 5; count++) await send(world.ann, { phone, text: `Text ${count}` });
    const { deps, turns } = counted();
    const rules = [{ name: 'Text', action: 'flag', phrases: ['text'] }];
    const { texts } = await dryRun(deps, world.ann.advisor.firmId, JSON.stringify({ rules }));
    assert.ok(texts >= 5 && turns() >= texts, `${texts} texts, ${turns()} turns`);
  });

  test('a lexicon has one phrase read, and hidden numbers are looked for in a thousand characters', async () => {
    const { deps, turns } = counted();
    const phrases = Array.from({ length: 2_000 }, (_, index) => `phrase ${index}`);
    const match = await matcherInTurns(deps.turn, [{ name: 'Many', action: 'flag', phrases }]);
    assert.equal(match('that is phrase 1999')[0]?.found, 'phrase 1999');
    assert.ok(turns() >= phrases.length, `${turns()} turns`);
    const before = turns();
    const text = '1234 5678 9012 34 '.repeat(2_000);
    assert.equal(await hideNumbersIn(deps.turn, text), text);
    assert.ok(turns() - before >= text.length / 1_000, `${turns() - before} turns`);
  });

  test('a transaction reads as much of what is sent as 64,000 characters', async () => {
    let [read, readAtOnce] = [0, 0];
    const screener = (text: string) => {
      read += text.length;
      readAtOnce = Math.max(readAtOnce, read);
      return null;
    };
    const screeners: Deps['screeners'] = {
      ...world.deps.screeners,
      async of(_, firmIds) {
        read = 0;
        return new Map(firmIds.map((firmId) => [firmId, screener]));
      },
    };
    const message = { text: 'a'.repeat(1_600), phone: phones[0] ?? '', scheduleDelivery: false };
    const sends = Array.from({ length: 100 }, () =>
      sendMessage({ ...world.deps, screeners }, advisorId, message, byOperator),
    );
    await Promise.all(sends);
    assert.ok(readAtOnce > 0 && readAtOnce <= 64_000, `${readAtOnce} characters`);
  });

  test('a pattern of what replies say is made', async () => {
    const { deps, turns } = counted();
    const finder = phrasesFinder(['dont STOP', 'STOP me', 'me'], { STOP: 'stop|end' });
    await finder.prepare(deps.turn);
    assert.deepEqual([turns(), finder(' please end me '), finder(' please ')], [3, true, false]);
  });

  test('a lexicon that a node doesn’t know is prepared before the transaction that needs it', async () => {
    const { firmId } = world.ann.advisor;
    await setLexicon(
      world.deps,
      firmId,
      JSON.stringify({ rules: [{ name: 'One', action: 'flag', phrases: ['one'] }] }),
    );
    const screeners = makeScreeners();
    let began = 0;
    const found = await inTransaction(world.deps, async ({ db }) => {
      began += 1;
      return (await screeners.of(db, [firmId])).get(firmId)?.('That is one.');
    });
    assert.deepEqual([found?.rules, began], [['One'], 2]);
  });

  test('a statement makes two megabytes of the archive searchable', async () => {
    await indexArchive(world.deps);
    const entry = { advisorId, kind: 'text_in', memberId: null, meta: {}, body: 'novel '.repeat(6_500) } as const;
    await inTransaction(world.deps, async (deps) => {
      for (let count = 0; count < 60; count++) await archive(deps, byOperator, entry);
    });
    const { db } = world.deps;
    let statements = 0;
    const write: Deps['db']['write'] = (text, values, name) => {
      if (name === 'index-entries') statements += 1;
      return db.write(text, values, name);
    };
    await indexArchive({ ...world.deps, db: { ...db, write } });
    assert.equal(statements, 2);
  });
});
