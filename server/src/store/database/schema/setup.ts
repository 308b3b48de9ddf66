import pg from 'pg';

/** Trusted ones: a login that may create something in the database may create them. */
const extensions = ['pg_trgm', 'btree_gin'];
/** This login may not do it, so there is no role, or another database of the cluster is creating it at this moment. */
const passedOver = ['42501', '42704', '42710', '23505', 'XX000'];

type Step = { sql: string /** It takes effect in the database that psql is connected to. */; inDatabase?: true };
type State = Record<'owner' | 'database', string> &
  Record<'exists' | 'member' | 'usage' | 'creates' | 'extends' | 'enters', boolean>;

/**
 * Does what is missing before the first migration, as far as this login may. Returns what is left, for a superuser to
 * paste into psql, whatever database that is connected to; null if nothing is left.
 */
export async function setUp(client: pg.Client, appRole: string): Promise<string | null> {
  for (const { sql } of stepsFrom(await findState(client, appRole), appRole)) await client.query(sql).catch(passOver);
  const state = await findState(client, appRole);
  const left = stepsFrom(state, appRole);
  if (left.length === 0) return null;
  const first = left.findIndex(({ inDatabase }) => inDatabase);
  const lines = left.map(({ sql }) => `${sql};`);
  return pasteable(first < 0 ? lines : lines.toSpliced(first, 0, `\\connect ${state.database}`));
}

/** Lines for psql, as a message shows them. */
export function pasteable(lines: string[]): string {
  return lines.map((line) => `\n  ${line}`).join('');
}

async function findState(client: pg.Client, appRole: string): Promise<State> {
  const { rows } = await client.query<State>(
    `select
       quote_ident(current_user) as owner, quote_ident(current_database()) as database,
       oid is not null as exists, coalesce(pg_has_role(current_user, oid, 'member'), false) as member,
       -- A role that doesn't exist yet will have what everybody has.
       has_schema_privilege(coalesce(rolname, 'public'), 'public', 'usage') as usage,
       has_schema_privilege('public', 'create') as creates,
       has_database_privilege(current_database(), 'create')
         or (select count(*) from pg_extension where extname = any ($2)) = cardinality($2) as extends,
       -- Nodes of Citus connect to each other as the role whose statement it is.
       coalesce(rolcanlogin, false) or not exists (select from pg_extension where extname = 'citus') as enters
     from (select) as one
     left join pg_roles on rolname = $1`,
    [appRole, extensions],
  );
  return (rows as [State])[0];
}

/** What is missing, the steps inside of the database last. */
function stepsFrom({ owner, database, ...is }: State, appRole: string): Step[] {
  const steps: (Step | false)[] = [
    !is.exists && { sql: `create role ${appRole} nologin` },
    !is.member && { sql: `grant ${appRole} to ${owner}` },
    !is.extends && { sql: `grant create on database ${database} to ${owner}` },
    !is.enters && { sql: `alter role ${appRole} login`, inDatabase: true },
    !is.usage && { sql: `grant usage on schema public to ${appRole}`, inDatabase: true },
    !is.creates && { sql: `grant create on schema public to ${owner}`, inDatabase: true },
  ];
  return steps.filter((step) => step !== false);
}

function passOver(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || !passedOver.includes(error.code ?? '')) throw error;
}
