import type { Deps } from '../../deps.ts';
import { listApplications } from '../../store/access/applications.ts';
import { listAdvisors } from '../../store/accounts/advisors.ts';
import { listFirms } from '../../store/accounts/firms.ts';
import { listStaff } from '../../store/accounts/staff.ts';
import { type AuditKind, type AuditRow, auditKinds, listAuditRows } from '../../store/operations/audit.ts';
import { detailsIn } from '../archive/archive.ts';
import { cursorOf, cutTo, placeIn } from '../shared/paging.ts';

export { type AuditKind, auditKinds } from '../../store/operations/audit.ts';

type AuditFilter = { kind?: AuditKind; actor?: string; since?: Date; until?: Date; cursor?: string };

const pageSize = 50;

export async function listAudit(deps: Pick<Deps, 'db'>, { kind, actor, since, until, cursor }: AuditFilter) {
  const filter = {
    kinds: kind ? [kind] : auditKinds,
    actor: actor ?? null,
    since: since ?? null,
    until: until ?? null,
    before: cursor ? placeIn('cursor', cursor, ['advisorId', 'number']) : null,
    limit: pageSize + 1,
  };
  const { page, last } = cutTo(pageSize, await listAuditRows(deps.db, filter));
  const names = await namesOf(deps);
  return {
    data: page.map((row) => entryOf(row, names)),
    cursor: last ? cursorOf(last.dateTimeCreated, last.advisorId, last.number) : null,
  };
}

/** Everybody who can have done something, for the filter. */
export async function listActors(deps: Pick<Deps, 'db'>): Promise<{ actor: string; name: string }[]> {
  const names = await namesOf(deps);
  return [...names]
    .filter(([actor]) => actor.startsWith('staff:') || actor.startsWith('application:'))
    .map(([actor, name]) => ({ actor, name }));
}

async function namesOf({ db }: Pick<Deps, 'db'>): Promise<Map<string, string>> {
  const [staff, applications, advisors, firms] = await Promise.all([
    listStaff(db),
    listApplications(db),
    listAdvisors(db),
    listFirms(db),
  ]);
  return new Map([
    ...staff.map(({ staffId, name }) => [`staff:${staffId}`, name] as const),
    ...applications.map(({ applicationId, name }) => [`application:${applicationId}`, name] as const),
    ...applications.map(({ clientId, name }) => [`client:${clientId}`, name] as const),
    ...advisors.map(({ advisorId, name }) => [`advisor:${advisorId}`, name] as const),
    ...firms.map(({ firmId, name }) => [`firm:${firmId}`, name] as const),
  ]);
}

/** Who did what to whose account, and what it was before. Ids have become names, where somebody has that name. */
function entryOf(
  { advisorId, number, kind, actor, meta, body, dateTimeCreated: at }: AuditRow,
  names: Map<string, string>,
) {
  const facts = JSON.parse(meta) as Record<string, unknown>;
  const { what, action, via } = facts;
  return {
    /** `0/17`: which entry of the archive it is. */
    id: `${advisorId}/${number}`,
    at,
    kind,
    /** `advisor set` */
    what: String(what ?? action ?? kind),
    actor,
    actorName: names.get(actor) ?? null,
    /** Whom an operator's command named. */
    isByCommand: via === 'command',
    /** The advisor in whose book it is, or the firm, application or person that it is about. */
    about: aboutOf(advisorId, facts, names),
    details: detailsIn(body),
  };
}

function aboutOf(advisorId: number, facts: Record<string, unknown>, names: Map<string, string>): string | null {
  const { staffId, clientId, applicationId, firmId, name } = facts;
  const keys = [
    staffId && `staff:${staffId}`,
    clientId && `client:${clientId}`,
    applicationId && `application:${applicationId}`,
    advisorId > 0 && `advisor:${advisorId}`,
    firmId && `firm:${firmId}`,
  ];
  const found = keys.flatMap((key) => (key ? (names.get(String(key)) ?? []) : []));
  return [...new Set(found)].slice(0, 2).join(', ') || (typeof name === 'string' ? name : null);
}
