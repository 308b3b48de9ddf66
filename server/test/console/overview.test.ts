import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { byOperator, byStaff } from '../../src/domain/archive/archive.ts';
import { verifyAgainstCopies } from '../../src/domain/archive/archive-status.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { reconcile } from '../../src/domain/record-keeping/reconciliation.ts';
import { signer } from '../archive/small-archive.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let kim: StaffPerson;
before(async () => {
  world = await makeWorld();
  kim = await makeStaff(world, { role: 'reviewer', firmId: world.ann.advisor.firmId });
});
after(() => world.close());

async function overviewOf(person: StaffPerson) {
  const { status, body } = await person.call('GET', '/overview');
  assert.equal(status, 200);
  return body;
}

test('what was never done is not said to be done', async () => {
  const { archive, reviews, holds, retentionYears } = await overviewOf(kim);
  assert.deepEqual([archive.lastSigned, archive.verification, archive.reconciliation], [null, null, null]);
  assert.equal(archive.unsigned, archive.entries);
  assert.deepEqual([reviews.open, reviews.oldest, holds, retentionYears], [0, null, 0, 7]);
});

test('the last verification and the last reconciliation are remembered, for every server', async () => {
  const deps = { ...world.deps, signer };
  while (await growTree(deps));
  await verifyAgainstCopies(
    deps,
    { verifiers: [signer.verifier], notes: null, progress: () => {} },
    byStaff(kim.staffId),
  );
  await reconcile(deps, { firstDay: '2031-05-04', lastDay: '2031-05-04' }, byOperator);
  const { archive } = await overviewOf(kim);
  assert.equal(archive.unsigned, 0);
  assert.equal(archive.isFaulty, false);
  assert.deepEqual([archive.verification.verdict, archive.verification.actorName], ['intact', kim.name]);
  assert.equal(archive.reconciliation.lastDay, '2031-05-04');
  assert.equal(archive.reconciliation.discrepancies, 0);
});

test('another firm’s figures are its own', async () => {
  const { firmId } = await addFirm(world.deps, 'Another firm');
  const { archive, advisors } = await overviewOf(await makeStaff(world, { role: 'compliance_officer', firmId }));
  assert.deepEqual([archive.entries, advisors], [0, 0]);
});

test('a firm that asks for much delays itself, and no other firm', async () => {
  const { firmId } = await addFirm(world.deps, 'Next door');
  const next = await makeStaff(world, { role: 'reviewer', firmId, name: 'Neighbor' });
  let answered = 0;
  const many = Array.from({ length: 30 }, () => kim.call('GET', '/overview').then(() => (answered += 1)));
  await many[0];
  await overviewOf(next);
  assert.ok(answered < 20, `${answered} were answered first`);
  await Promise.all(many);
});
