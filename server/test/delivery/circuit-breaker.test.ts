import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circuitBreaker } from '../../src/domain/delivery/circuit-breaker.ts';

const any = Number.POSITIVE_INFINITY;

/** A breaker whose clock the test moves. */
function makeBreaker() {
  let now = 1_000_000;
  const breaker = circuitBreaker(() => now);
  return {
    ...breaker,
    pass(ms: number) {
      now += ms;
    },
    fail(...people: string[]) {
      for (const who of people) breaker.failed(who);
    },
  };
}

test('failures for fewer than five people in a row change nothing', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd');
  assert.equal(breaker.allowance(), any);
  breaker.succeeded();
  breaker.fail('e', 'f', 'g', 'h');
  assert.equal(breaker.allowance(), any);
});

test('failures for the same person say nothing about the others', () => {
  const breaker = makeBreaker();
  for (let time = 0; time < 20; time++) breaker.failed('a');
  assert.equal(breaker.allowance(), any);
});

test('after five failures it opens for a second, then lets one through', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd', 'e');
  assert.equal(breaker.allowance(), 0);
  breaker.pass(999);
  assert.equal(breaker.allowance(), 0);
  breaker.pass(1);
  assert.equal(breaker.allowance(), 1);
  breaker.began();
  assert.equal(breaker.allowance(), 0, 'one probe at a time');
  breaker.succeeded();
  assert.equal(breaker.allowance(), any);
});

test('each failed probe doubles the wait, up to thirty seconds', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd', 'e');
  for (const openMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    breaker.pass(openMs - 1);
    assert.equal(breaker.allowance(), 0, `${openMs} ms`);
    breaker.pass(1);
    assert.equal(breaker.allowance(), 1, `${openMs} ms`);
    breaker.began();
    breaker.failed('a');
  }
});

test('after a success the wait starts at a second again', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd', 'e');
  breaker.pass(1_000);
  breaker.began();
  breaker.failed('a');
  breaker.pass(2_000);
  breaker.began();
  breaker.succeeded();
  breaker.fail('a', 'b', 'c', 'd', 'e');
  breaker.pass(1_000);
  assert.equal(breaker.allowance(), 1);
});

test('a failure that began before it opened neither extends the wait nor counts against it', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd', 'e', 'f', 'g');
  breaker.pass(1_000);
  assert.equal(breaker.allowance(), 1);
  breaker.fail('h');
  assert.equal(breaker.allowance(), 1);
  breaker.succeeded();
  assert.equal(breaker.allowance(), any);
});

test('a probe that wasn’t tried says nothing, and the next one may go at once', () => {
  const breaker = makeBreaker();
  breaker.fail('a', 'b', 'c', 'd', 'e');
  breaker.pass(1_000);
  breaker.began();
  assert.equal(breaker.allowance(), 0);
  breaker.untried();
  assert.equal(breaker.allowance(), 1);
});
