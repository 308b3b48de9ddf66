import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** A trigger as the migrations make it: its statement, whether it also fires for replication, and its function's body. */
type Trigger = { table: string; name: string; definition: string; isAlways: boolean; function: string; body: string };
type FoundTrigger = Omit<Trigger, 'isAlways'> & { enabled: 'O' | 'A' | 'R' | 'D' };

const schemaFile = new URL('../../../../schema.sql', import.meta.url);
const triggerForm =
  /^(CREATE (?:CONSTRAINT )?TRIGGER (\S+) .*? ON public\.(\S+) .*EXECUTE FUNCTION (\w+)\(.*?\))( \/\* enable always \*\/)?;$/gm;
const functionForm =
  /^CREATE OR REPLACE FUNCTION public\.(\w+)\((?:(?!^CREATE)[\s\S])*?AS \$function\$([\s\S]*?)\$function\$;$/gm;

/**
 * The triggers that are not as the migrations made them: they keep entries from being changed, and consent from changing without
 * one. Somebody who may weaken them leaves no other trace until verification. They must be those of this version.
 */
export async function listWeakened(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<FoundTrigger>(
    `select
       c.relname as table, t.tgname as name, t.tgenabled as enabled, pg_get_triggerdef(t.oid) as definition,
       p.proname as function, p.prosrc as body
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid
     join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`,
  );
  const found = new Map(rows.map((row) => [nameOf(row), row]));
  return readTriggers().flatMap((trigger) => {
    const fault = faultOf(trigger, found.get(nameOf(trigger)));
    return fault ? [`${nameOf(trigger)} ${fault}`] : [];
  });
}

function faultOf({ definition, isAlways, body, ...trigger }: Trigger, found: FoundTrigger | undefined): string | null {
  if (!found) return 'was dropped';
  if (found.enabled === 'D') return 'is disabled';
  if (found.enabled === 'R') return 'is only enabled for replication';
  if (isAlways && found.enabled !== 'A') return 'can be switched off by posing as replication';
  if (plain(found.definition) !== plain(definition)) return 'is a different one';
  return found.body === body ? null : `calls ${trigger.function}(), which was replaced`;
}

/** PostgreSQL writes more or fewer parentheses, depending on how a condition was given. */
function plain(definition: string): string {
  return definition.replace(/[()\s]/g, '');
}

function nameOf({ table, name }: Pick<Trigger, 'table' | 'name'>): string {
  return `${name} on ${table}`;
}

/** Of the schema that the migrations add up to. */
function readTriggers(): Trigger[] {
  const schema = readFileSync(schemaFile, 'utf8');
  const bodies = new Map(Array.from(schema.matchAll(functionForm), ([, name = '', body = '']) => [name, body]));
  return Array.from(schema.matchAll(triggerForm), ([, definition = '', name = '', table = '', called = '', always]) => {
    const isAlways = always !== undefined;
    return { table, name, definition, isAlways, function: called, body: bodies.get(called) ?? '' };
  });
}
