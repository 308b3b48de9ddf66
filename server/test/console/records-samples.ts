import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { saveSearch } from '../../src/domain/record-keeping/archive-search.ts';
import { makeExports, startExport } from '../../src/domain/record-keeping/exports.ts';
import { addHold } from '../../src/domain/record-keeping/holds.ts';
import { ensureMembers } from '../../src/domain/texting/recipients.ts';
import { signer } from '../archive/small-archive.ts';
import type { World } from '../support/world.ts';

type Ids = Record<string, number | string>;
type OfFirm = { firmId: number };

/** The first that the world adds, to the firm whose staff call. */
const firstAdvisorId = 1001;
const period = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
export type RecordsSample = { ids?(firm: OfFirm): Promise<Ids>; body?: object };

/** How each route of the pages of records is called, on something that was made for it: none depends on another. */
export function recordsSamples(world: () => World): Record<string, RecordsSample> {
  let made = 0;
  const staff = async ({ firmId }: OfFirm) => {
    made += 1;
    return addStaff(world().deps, { firmId, name: 'Noor', email: `noor${made}@test.example` });
  };
  const person = async ({ firmId }: OfFirm) => {
    made += 1;
    const { deps } = world();
    const { advisorId } = await addAdvisor(deps, { firmId, name: 'Avery', email: `avery${made}@test.example` });
    const [member] = await ensureMembers(deps, [{ advisorId, phone: '+12125550199' }]);
    return { advisorId, memberId: member?.memberId ?? 0 };
  };
  const entry = async (firm: OfFirm) => ({ advisorId: (await person(firm)).advisorId, number: 1 });
  const hold = async (firm: OfFirm) => {
    const scope = { firmId: firm.firmId };
    const { holdId } = await addHold(world().deps, scope, { reason: 'Matter 2026-116', staff: await staff(firm) });
    return { holdId };
  };
  const search = async (firm: OfFirm) =>
    saveSearch(world().deps, { firmId: firm.firmId, staffId: (await staff(firm)).staffId }, { words: 'hello' });
  const madeExport = async (firm: OfFirm) => {
    const { deps } = world();
    const [{ staffId }, { advisorId }] = [await staff(firm), await person(firm)];
    const [from, to] = [new Date(period.from), new Date(period.to)];
    const { exportId } = await startExport(deps, {
      ...firm,
      staffId,
      traceId: null,
      advisorId,
      from,
      to,
      format: 'ndjson',
    });
    await makeExports({ ...deps, signer });
    return { exportId };
  };
  return {
    'GET /firm/advisors': {},
    'POST /people/search': { body: { text: 'Kim' } },
    'GET /people/:advisorId/:memberId/consent': { ids: person },
    'POST /archive/search': { body: { words: 'hello' } },
    'GET /archive/:advisorId/:number': { ids: entry },
    'POST /archive/:advisorId/:number/text': { ids: entry },
    'GET /archive/:advisorId/:number/proof': { ids: entry },
    'POST /archive/searches': { body: { words: 'hello' } },
    'GET /archive/searches/:searchId': { ids: search },
    'GET /holds': {},
    'POST /holds': { body: { reason: 'Matter 2026-117' } },
    'POST /holds/:holdId/lift': { ids: hold, body: { reason: 'Settled' } },
    'GET /retention': {},
    'PUT /retention': { body: { years: 7 } },
    'GET /retention/due': {},
    'GET /exports': {},
    'POST /exports': { body: { advisorId: firstAdvisorId, ...period, format: 'ndjson' } },
    'GET /exports/confirm': {},
    'GET /exports/:exportId/file': { ids: madeExport },
    'GET /exports/verify.mjs': {},
    'GET /wordings': {},
    'PUT /wordings': { body: { kind: 'help', text: '{advisor} of {firm}. Text STOP to opt out.' } },
  };
}
