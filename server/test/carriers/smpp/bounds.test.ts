import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makePace } from '../../../src/adapters/carriers/shared/pace.ts';
import { makeJoiner, type PartialText } from '../../../src/adapters/carriers/smpp/receiving/joining.ts';
import { makeTracking } from '../../../src/adapters/carriers/smpp/sending/tracking.ts';
import { monotonicTime } from '../../support/monotonic-time.ts';
import { ours, person } from './esme.ts';

suite('bounds', () => {
  test('the pace is halved when it was too much, grows every second, and is free again in the end', (t) => {
    const time = monotonicTime(t);
    const pace = makePace(null);
    for (let each = 0; each < 200; each++) pace.began();
    assert.deepEqual([pace.perSecond(), pace.delayMs()], [null, 0]);
    pace.throttled();
    // The other answers of the same window say the same.
    pace.throttled();
    assert.equal(pace.perSecond(), 100);
    assert.equal(pace.delayMs(), 10);
    time.pass(600);
    pace.throttled();
    const lower = pace.perSecond() ?? 0;
    assert.ok(lower <= 50, `${lower}`);
    const paces: (number | null)[] = [];
    for (let second = 0; second < 40; second++) {
      time.pass(1_000);
      pace.accepted();
      paces.push(pace.perSecond());
    }
    const [first, next] = paces;
    assert.ok((first ?? 0) > lower && (next ?? 0) > (first ?? 0), paces.join());
    assert.equal(paces.at(-1), null);
  });

  test('the pace never exceeds the agreed rate, and never stops', (t) => {
    const time = monotonicTime(t);
    const pace = makePace(20);
    let texts = 0;
    for (let ms = 0; ms < 2_000; ms++) {
      while (pace.delayMs() === 0) {
        pace.began();
        texts += 1;
      }
      time.pass(1);
    }
    assert.ok(texts >= 38 && texts <= 43, `${texts}`);
    for (let each = 0; each < 50; each++) {
      time.pass(501);
      pace.throttled();
    }
    assert.equal(pace.perSecond(), 1);
  });

  test('a wall clock that is set back or forth holds nothing up', (t) => {
    const time = monotonicTime(t);
    t.mock.timers.enable({ apis: ['Date'], now: 86_400_000 });
    const pace = makePace(20);
    for (const wrong of [86_400_000 - 3_600_000, 2 * 86_400_000, 86_400_000]) {
      for (let each = 0; each < 5; each++) pace.began();
      t.mock.timers.setTime(wrong);
      time.pass(1_000);
      assert.equal(pace.delayMs(), 0);
    }
  });

  test('parts that wait for others are bounded: the oldest text is handed on first', () => {
    const givenUp: PartialText[] = [];
    const joiner = makeJoiner(
      (joining) => givenUp.push(joining),
      () => new Date(),
    );
    const octets = Buffer.alloc(100);
    for (let each = 0; each < 1_500; each++)
      joiner.add({ key: `text ${each}`, number: 1, of: 2 }, { octets, dataCoding: 0 }, { from: person, to: ours });
    assert.equal([...joiner.all()].length, 1_000);
    assert.deepEqual([givenUp.length, givenUp[0]?.place.key], [500, 'text 0']);
    const large = Buffer.alloc(60_000);
    for (let each = 0; each < 300; each++)
      joiner.add(
        { key: `large ${each}`, number: 1, of: 2 },
        { octets: large, dataCoding: 0 },
        { from: person, to: ours },
      );
    assert.ok([...joiner.all()].filter(({ place }) => place.key.startsWith('large')).length < 140);
  });

  test('texts without receipts are forgotten, the oldest first', () => {
    const tracking = makeTracking({ messageIds: 'auto' });
    for (let each = 0; each < 50_100; each++) {
      const text = tracking.begin({ from: ours, to: person, text: 'Hi', kind: 'text' }, 1);
      const [part] = text.parts;
      if (part) tracking.accepted(text, part, `x${each}`);
    }
    const find = (messageId: string) =>
      tracking.find({ messageId, state: null, code: null, beginning: null, from: ours, to: person, reference: null });
    assert.equal(find('x99'), null);
    assert.ok(find('x100'));
  });
});
