import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { segmentsOf } from '../../src/domain/texting/segments.ts';
import { listWordings, renderWording, setWording, wordingKinds, wordingOf } from '../../src/domain/texting/wordings.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { deps, ann } = world;
const { firmId } = ann.advisor;

test('the defaults are version 0, fit one GSM-7 segment with ordinary names, and obey the rules for a firm’s own', async () => {
  const names = { firm: 'Sandbox Wealth Partners', advisor: 'Casey Lindgren' };
  const ours = await listWordings(deps, firmId);
  assert.deepEqual(
    ours.map(({ kind, version }) => [kind, version]),
    wordingKinds.map((kind) => [kind, 0]),
  );
  for (const { kind, text } of ours) {
    assert.deepEqual(segmentsOf(renderWording(text, names)), { encoding: 'GSM-7', segments: 1 }, kind);
    assert.equal((await setWording(deps, firmId, { kind, text })).version, 1);
  }
});

test('names are inserted as they are, whatever they contain', () => {
  const names = { firm: 'A {advisor} $& $1 Co', advisor: '{firm}' };
  assert.equal(renderWording('{firm}|{advisor}|{other}', names), 'A {advisor} $& $1 Co|{firm}|{other}');
});

test('concurrent changes of a wording make one version each', async () => {
  const before = (await wordingOf(deps, firmId, 'help')).version;
  const set = (text: string) => setWording(deps, firmId, { kind: 'help', text });
  const versions = (await Promise.all(['{firm} a STOP', '{firm} b STOP', '{firm} c STOP'].map(set))).map(
    ({ version }) => version,
  );
  assert.deepEqual(versions.sort(), [before + 1, before + 2, before + 3]);
  assert.equal((await wordingOf(deps, firmId, 'help')).version, before + 3);
});
