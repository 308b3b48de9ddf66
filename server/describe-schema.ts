import pg from 'pg';

/**
 * The schema in the catalog, as readable SQL: the sum of the migrations. The embedded package has no pg_dump, whose output
 * changes from version to version anyway.
 */
export async function describeSchema(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const sections: string[] = [];
    for (const query of [extensions, types, tables, indexes, functions, triggers, grants, columnGrants]) {
      const { rows } = await client.query<{ text: string }>(query);
      if (rows.length > 0) sections.push(rows.map(({ text }) => `${text};\n`).join('\n'));
    }
    return `-- The migrated schema. Generated from the catalog by \`npm run generate\`: change migrations, not this.\n\n${sections.join('\n')}`;
  } finally {
    await client.end();
  }
}

const ours = `
  relnamespace = 'public'::regnamespace
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

const columnList = `
  string_agg(
    '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when l.collname <> 'default' then ' collate ' || quote_ident(l.collname) else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case
        when a.attidentity = 'a' then ' generated always as identity'
        when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(f.adbin, f.adrelid) || ') stored'
        when f.adbin is not null then ' default ' || pg_get_expr(f.adbin, f.adrelid)
        else ''
      end,
    e',\n' order by a.attnum
  )`;

const columnJoins = `
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
  left join pg_collation l on l.oid = a.attcollation`;

const extensions = `
  select 'create extension ' || extname as text
  from pg_extension
  where extname <> 'plpgsql'
  order by extname`;

const types = `
  select 'create type ' || c.relname || e' as (\n' || ${columnList} || e'\n)' as text
  from pg_class c ${columnJoins}
  where c.relkind = 'c' and ${ours}
  group by c.relname
  order by c.relname`;

const tables = `
  select
    'create table ' || c.relname || e' (\n' || ${columnList}
      || coalesce(
        (
          select e',\n' || string_agg(
            '  constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid),
            e',\n' order by k.contype desc, k.conname
          )
          from pg_constraint k
          where k.conrelid = c.oid and k.contype <> 'n'
        ),
        ''
      )
      || e'\n)' || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as text
  from pg_class c ${columnJoins}
  where c.relkind = 'r' and ${ours}
  group by c.oid, c.relname, c.reloptions
  order by c.relname`;

const indexes = `
  select pg_get_indexdef(c.oid) as text
  from pg_class c
  where c.relkind = 'i'
    and ${ours}
    and not exists (select from pg_constraint k where k.conindid = c.oid)
  order by c.relname`;

const functions = `
  select rtrim(pg_get_functiondef(c.oid), e'\n') as text
  from pg_proc c
  where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  order by c.proname`;

const triggers = `
  select pg_get_triggerdef(t.oid) || case when t.tgenabled = 'A' then ' /* enable always */' else '' end as text
  from pg_trigger t
  where not t.tgisinternal
  order by t.tgrelid::regclass::text, t.tgname`;

const grants = `
  select
    'grant ' || string_agg(lower(g.privilege_type), ', ' order by g.privilege_type) || ' on ' || c.relname || ' to '
      || g.grantee::regrole as text
  from pg_class c
  cross join lateral aclexplode(c.relacl) g
  where c.relkind = 'r' and g.grantee <> c.relowner and ${ours}
  group by c.relname, g.grantee
  order by c.relname`;

const columnGrants = `
  select
    'grant ' || lower(g.privilege_type) || ' (' || string_agg(a.attname, ', ' order by a.attnum) || ') on ' || c.relname
      || ' to ' || g.grantee::regrole as text
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid
  cross join lateral aclexplode(a.attacl) g
  where c.relkind = 'r' and g.grantee <> c.relowner and ${ours}
  group by c.relname, g.grantee, g.privilege_type
  order by c.relname, g.privilege_type`;
