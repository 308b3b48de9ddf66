import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { exportOf, headersOf, startTracer } from '../../../src/adapters/tracing/otlp.ts';
import type { Span } from '../../../src/domain/ports.ts';
import { textSpanId } from '../../../src/domain/texting/text-traces.ts';
import { type Collector, startCollector } from '../../support/collector.ts';
import { freePort } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';

const span: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: 'b7ad6b7169203331',
  name: 'dispatch text',
  kind: 'consumer',
  startMs: 1_780_000_000_000.25,
  endMs: 1_780_000_000_001.5,
  attributes: { 'assent.message.id': 7, 'assent.outcome': 'accepted', late: false, share: 0.5, none: undefined },
};

suite('the exporter of traces', () => {
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  const faults: object[] = [];
  const open = (endpoint = collector.url, share = 1) =>
    startTracer({
      endpoint,
      headers: headersOf('Authorization=Bearer%20x, x-team = texting'),
      share,
      resource: { 'service.name': 'assent' },
      onFault: (why) => faults.push(why),
    });

  test('writes OTLP in JSON: ids in hex, times in nanoseconds as strings, typed values', () => {
    assert.deepEqual(exportOf({ 'service.name': 'assent' }, [span]), {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'assent' } }] },
          scopeSpans: [
            {
              scope: { name: 'assent' },
              spans: [
                {
                  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                  spanId: '00f067aa0ba902b7',
                  parentSpanId: 'b7ad6b7169203331',
                  name: 'dispatch text',
                  kind: 5,
                  startTimeUnixNano: '1780000000000250000',
                  endTimeUnixNano: '1780000000001500000',
                  attributes: [
                    { key: 'assent.message.id', value: { intValue: '7' } },
                    { key: 'assent.outcome', value: { stringValue: 'accepted' } },
                    { key: 'late', value: { boolValue: false } },
                    { key: 'share', value: { doubleValue: 0.5 } },
                  ],
                  status: {},
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test('sends what was recorded when it stops, with the operator’s headers', async () => {
    const tracer = open();
    for (let index = 0; index < 700; index += 1) tracer.record(span);
    await tracer.stop();
    assert.equal(collector.spans.length, 700);
    assert.equal(collector.bodies.length, 2, 'in batches');
    assert.equal(collector.headers().authorization, 'Bearer x');
    assert.equal(collector.headers()['x-team'], 'texting');
    assert.deepEqual(faults, []);
  });

  test('tries again when the collector asks for it, and says so once', async () => {
    collector.answer(503);
    const before = collector.bodies.length;
    const [kept, tracer] = [collector.spans.length, open()];
    tracer.record(span);
    await until('the collector was asked twice', () => collector.bodies.length >= before + 2);
    collector.answer(200);
    await until('it has the span', () => collector.spans.length === kept + 1);
    await tracer.stop();
    assert.deepEqual(faults.splice(0), [{ status: 503 }]);
  });

  test('gives up what a collector refuses, and doesn’t wait for one that is gone', async () => {
    collector.answer(400);
    const refused = open();
    refused.record(span);
    await refused.stop();
    collector.answer(200);
    const gone = open(`http://127.0.0.1:${await freePort()}`);
    for (let index = 0; index < 10_000; index += 1) gone.record(span);
    await gone.stop();
    assert.deepEqual(faults.splice(0), [{ status: 400 }, { code: 'ECONNREFUSED' }]);
  });

  test('the trace id decides what is kept', () => {
    const tracer = open(collector.url, 0.5);
    assert.equal(tracer.samples('4bf92f3577b34da6a3ce929d00000000'), true);
    assert.equal(tracer.samples('4bf92f3577b34da6a3ce929dffffffff'), false);
    void tracer.stop();
  });

  test('a text’s span follows from its trace and its message', () => {
    const id = textSpanId(span.traceId, 7);
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(id, textSpanId(span.traceId, 7));
    assert.notEqual(id, textSpanId(span.traceId, 8));
  });
});
