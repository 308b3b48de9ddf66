import type pg from 'pg';
import { pasteable } from './setup.ts';

/** Roles of PostgreSQL's own whose members can write past every privilege, through files or programs on its machine. */
const machineRoles = ['pg_execute_server_program', 'pg_write_server_files'];
const changes = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'];

/**
 * Why the login may do more than the application's role; null if it can't. `set role` is no guard: `set role none` gives
 * back what the login may do, so every role that it can become counts, whether it inherits its privileges or not.
 */
export async function findExcess(client: pg.Client, appRole: string): Promise<string | null> {
  const { rows } = await client.query<{ login: string; role: string; why: string }>(
    `with reachable as (
       select oid, rolname, rolsuper, rolcreaterole
       from pg_roles
       where pg_has_role(session_user, oid, 'member')
     ), judged as (
       select rolname, case
         when rolsuper then 'is a superuser'
         when rolcreaterole then 'may create roles'
         when exists (select from pg_class where relnamespace = 'public'::regnamespace and relowner = r.oid)
           then 'owns the tables'
         when exists (select from pg_proc where pronamespace = 'public'::regnamespace and proowner = r.oid)
           then 'owns the functions'
         when exists (select from pg_namespace where oid = 'public'::regnamespace and nspowner = r.oid)
           then 'owns the schema'
         when exists (select from pg_database where datname = current_database() and datdba = r.oid)
           then 'owns the database'
         when rolname = any ($2) then 'may write files or run programs on the database’s machine'
         when exists (
           select
           from pg_class c, unnest($3::text[]) as change
           where relnamespace = 'public'::regnamespace
             and relkind in ('r', 'p')
             and has_table_privilege(r.oid, c.oid, change)
             and not has_table_privilege($1, c.oid, change)
         ) then 'may change more than ' || $1
       end as why
       from reachable r
     )
     select session_user as login, rolname as role, why
     from judged
     where why is not null
     -- A role that gives a privilege says more than the privilege.
     order by why like 'may change%', rolname <> session_user, rolname
     limit 1`,
    [appRole, machineRoles, changes],
  );
  const [found] = rows;
  if (!found) return null;
  const { login, role, why } = found;
  return role === login ? `"${login}" ${why}` : `"${login}" can become "${role}", which ${why}`;
}

/**
 * Who must migrate instead of this login: the owner of the tables. Before there are any, a login that `lacks` something gives way to the
 * owner of the database, unless that is a superuser, who may have made it for any login. Null if this login may migrate.
 */
export async function findOwnerInstead(client: pg.Client, lacks: boolean): Promise<string | null> {
  const { rows } = await client.query<{ owner: string }>(
    `select rolname as owner
     from pg_roles r
     left join pg_class c on relname = 'migrations' and relnamespace = 'public'::regnamespace
     where r.oid = coalesce(relowner, (select datdba from pg_database where datname = current_database()))
       and not pg_has_role(r.oid, 'member')
       and (c.oid is not null or ($1 and not rolsuper))`,
    [lacks],
  );
  return rows[0]?.owner ?? null;
}

/** How to get a login that may do no more than the application's role: what a superuser pastes into psql for it. */
export async function makeRestrictedLogin(client: pg.Client, appRole: string): Promise<string> {
  const { rows } = await client.query<{ login: string; exists: boolean; enters: boolean; member: boolean }>(
    `select
       login, oid is not null as exists, coalesce(rolcanlogin, false) as enters,
       coalesce(pg_has_role(oid, $1, 'member'), false) as member
     -- The one to use can't be the one that may do too much.
     from (select case session_user when 'assent_server' then 'assent_server_2' else 'assent_server' end as login) as one
     left join pg_roles on rolname = login`,
    [appRole],
  );
  const [{ login, exists, enters, member }] = rows as [(typeof rows)[0]];
  const lines = [
    ...(exists ? [] : [`create role ${login} login;`]),
    ...(exists && !enters ? [`alter role ${login} login;`] : []),
    ...(member ? [] : [`grant ${appRole} to ${login};`]),
    // psql asks for the password, so it is in no history and no log.
    ...(enters ? [] : [`\\password ${login}`]),
  ];
  if (lines.length === 0) return `Put ${login} into DATABASE_URL: it is such a login.`;
  return `Have a superuser paste this into psql, then put ${login} into DATABASE_URL:${pasteable(lines)}`;
}
