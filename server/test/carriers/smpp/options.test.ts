import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { settingsOf } from '../../../src/adapters/carriers/smpp/options.ts';
import { smppCarrier } from '../../../src/adapters/carriers/smpp/smpp-carrier.ts';

const guide = readFileSync(new URL('../../../../docs/operators/carriers.md', import.meta.url), 'utf8');
const least = { name: 'test', hosts: [{ host: 'localhost', port: 2775 }], systemId: 'a', password: 'b' };

suite('options of an SMPP carrier', () => {
  test('are all in the operator’s guide', () => {
    // Operators give none of the first three: the name is the row's.
    const { name: _name, report: _report, now: _now, times, ...settings } = settingsOf(least);
    const missing = [...Object.keys(settings), ...Object.keys(times)].filter((name) => !guide.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
  });

  test('need a host', () => {
    assert.throws(() => smppCarrier({ ...least, hosts: [] }), /needs a host/);
  });
});
