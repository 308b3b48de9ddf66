import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import { consoleApiPath, consoleRoutes } from '../../src/http/console/routes.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { Visitor } from '../support/visitor.ts';
import { type Answer, makeWorld, type World } from '../support/world.ts';
import { operatorSamples } from './operator-samples.ts';
import { recordsSamples } from './records-samples.ts';

/**
 * How a route is called: with the ids of something that a firm has, if it takes any, and a body. A route that isn't here fails the
 * first test, so that none is left out of the others.
 */
type Sample = { ids?(firm: Firm): Ids | Promise<Ids>; query?: string; body?: object };
type Ids = Record<string, number | string>;
type Firm = { firmId: number; staffId: number; reviewId: number };

const unknownId = 999_999_999;
const ofReview = ({ reviewId }: Firm) => ({ reviewId });

const samples: Record<string, Sample> = {
  'GET /overview': {},
  ...operatorSamples(() => world),
  'GET /reviews': { query: '?view=held' },
  'GET /reviews/counts': {},
  'GET /reviews/reviewers': {},
  'GET /reviews/waiting': {},
  'POST /reviews/decisions': { body: { reviewIds: [unknownId], decision: 'approved' } },
  'POST /reviews/undo': { body: { reviewIds: [unknownId] } },
  'GET /reviews/:reviewId': { ids: ofReview },
  'PUT /reviews/:reviewId/assignee': { ids: ofReview, body: { staffId: null } },
  'POST /reviews/:reviewId/text': { ids: ofReview },
  'GET /reviews/:reviewId/media/:replyNumber/:place': { ids: withPicture },
  'POST /reviews/:reviewId/notes': { ids: ofReview, body: { note: 'Asked' } },
  'PUT /reviews/:reviewId/escalation': { ids: ofReview, body: { escalated: true } },
  'POST /reviews/:reviewId/decision': { ids: newReview, body: { decision: 'approved' } },
  ...recordsSamples(() => world),
  'GET /lexicon': { query: '?version=0' },
  'PUT /lexicon': { body: { rules: [], basedOn: 0 } },
  'POST /lexicon/dry-run': { body: { rules: [] } },
  'POST /lexicon/trial': { body: { rules: [], text: 'Hi' } },
  'GET /report': { query: '?from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z' },
  'GET /staff': {},
  'POST /staff': { body: { name: 'New', email: 'new@staff.example', role: 'reviewer' } },
  'POST /staff/:staffId/invite': { ids: ({ staffId }) => ({ staffId }) },
  'PUT /staff/:staffId': { ids: ({ staffId }) => ({ staffId }), body: { disabled: false } },
};

const roles: StaffRole[] = ['reviewer', 'compliance_officer', 'operator'];
let world: World;
let [own, other]: Firm[] = [];
let people: Record<StaffRole, StaffPerson>;

before(async () => {
  world = await makeWorld();
  const { deps } = world;
  const firms = [world.ann.advisor.firmId, (await addFirm(deps, 'Another firm')).firmId];
  [own, other] = await Promise.all(firms.map(makeFirm));
  const [reviewer, compliance_officer, operator] = await Promise.all(
    roles.map((role) => makeStaff(world, { role, firmId: own?.firmId ?? 0 })),
  );
  people = { reviewer, compliance_officer, operator } as typeof people;
});
after(() => world.close());

async function makeFirm(firmId: number): Promise<Firm> {
  const { deps } = world;
  const { staffId } = await addStaff(deps, { firmId, name: 'Kim', email: `kim${firmId}@test.example` });
  return { firmId, staffId, ...(await newReview({ firmId })) };
}

async function newReview({ firmId }: { firmId: number }): Promise<{ reviewId: number }> {
  const [review] = await world.database.asOwner<{ reviewId: number }>(
    `insert into reviews (advisor_id, firm_id, kind, archive_number, date_time_created)
     values ($1, $2, 'flagged', 1, now())
     returning review_id::integer as "reviewId"`,
    [world.ann.advisor.advisorId, firmId],
  );
  return { reviewId: review?.reviewId ?? -1 };
}

/** An entry of the advisor's stands in for a picture. */
async function withPicture({ reviewId }: Firm): Promise<Ids> {
  await world.database.asOwner(
    `insert into reply_media (advisor_id, reply_number, place, carrier_id, content_type, media_number, size, date_time_created)
     select advisor_id, 1, 1, 0, 'image/png', min(number), 1, now()
     from archive_bodies
     where advisor_id = $1
     group by advisor_id
     on conflict do nothing`,
    [world.ann.advisor.advisorId],
  );
  return { reviewId, replyNumber: 1, place: 1 };
}

describe('the console', () => {
  it('has a sample of every route', () => {
    const keys = consoleRoutes.map(keyOf);
    assert.deepEqual(keys.toSorted(), Object.keys(samples).toSorted());
  });

  for (const route of consoleRoutes) {
    const key = keyOf(route);
    const { ids, query = '', body } = samples[key] ?? {};
    const pathOf = async (firm: Firm | undefined) => {
      const values: Ids = firm ? ((await ids?.(firm)) ?? {}) : {};
      return (
        keyOf(route)
          .split(' ')[1]
          ?.replace(/:(\w+)/g, (_, name) => String(values[name] ?? unknownId)) + query
      );
    };

    it(`${key}: for its roles only`, async () => {
      for (const role of roles) {
        const { status } = await people[role].call(route.method, await pathOf(own), body);
        // 409: another role has done it before.
        if (route.roles.includes(role)) assert.ok(status < 300 || status === 409, `${role}: ${status}`);
        else assert.equal(status, 403, role);
      }
      const nobody = await new Visitor(world.app).call(route.method, consoleApiPath + (await pathOf(own)), { body });
      assert.equal(nobody.status, 401);
    });

    if (route.endpoint.of === 'firm' && ids)
      it(`${key}: another firm’s ids are like ids that don’t exist`, async () => {
        for (const role of route.roles) {
          const foreign = await people[role].call(route.method, await pathOf(other), body);
          const unknown = await people[role].call(route.method, await pathOf(undefined), body);
          assert.equal(foreign.status, 404, `${role}: ${JSON.stringify(foreign.body)}`);
          assert.deepEqual(problemOf(foreign), problemOf(unknown));
        }
      });

    if (route.endpoint.body)
      it(`${key}: a field that it doesn’t know is refused, and nothing is done`, async () => {
        const person = people[route.roles[0] as StaffRole];
        const answer = await person.call(route.method, await pathOf(own), { ...body, emial: 'x' });
        assert.equal(answer.status, 400, JSON.stringify(answer.body));
        assert.match(JSON.stringify(answer.body.details), /"\/emial".*emial is not known\. This route knows /);
      });

    if (route.method !== 'GET')
      it(`${key}: from our own page only`, async () => {
        const person = people[route.roles[0] as StaffRole];
        const { status } = await person.visitor.call(route.method, consoleApiPath + (await pathOf(own)), { body });
        assert.equal(status, 403);
      });
  }
});

function keyOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.slice(consoleApiPath.length)}`;
}

/** Without what differs between any two responses: the trace id, and the id that was asked for. */
function problemOf({ status, body }: Answer): object {
  const { code, title, detail = '' } = body;
  return { status, code, title, detail: detail.replace(/\d+/g, 'N') };
}
