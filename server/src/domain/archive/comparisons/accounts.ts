import { createHash } from 'node:crypto';
import type { Deps } from '../../../deps.ts';
import { listAdvisors } from '../../../store/accounts/advisors.ts';
import { listFirms } from '../../../store/accounts/firms.ts';
import { listStaff } from '../../../store/accounts/staff.ts';
import type { RowKey, SettingRow } from '../../../store/archive/comparisons.ts';
import * as store from '../../../store/archive/comparisons.ts';
import { listCarriers, sandboxCarrierId } from '../../../store/carriers/carriers.ts';
import { altered, type Fault, gone, nameOf } from '../verification/faults.ts';

/** The last archived value of a field, as JSON, and the entry that has it. */
type Field = { json: string | undefined; entry: string };
/** Firms, advisors, staff, carriers, wordings and lexicons by name, each with its fields. */
type ArchivedAccounts = Map<string, Map<string, Field>>;
type StoredAccounts = Map<string, Record<string, string | undefined>>;
/** What an entry says about an account; null that it was removed. */
type Setting = { name: string; values: object | null };

const entriesAtOnce = 1_000;

/**
 * Compares each firm, advisor, carrier and staff member, and every version of a wording or lexicon, with the last entries about it. Two
 * reads see different moments, so a difference counts only if it is there twice.
 */
export async function compareAccounts(deps: Deps): Promise<Fault[]> {
  const first = await differences(deps);
  if (first.length === 0) return [];
  const again = new Set((await differences(deps)).map((fault) => JSON.stringify(fault)));
  return first.filter((fault) => again.has(JSON.stringify(fault)));
}

async function differences(deps: Deps): Promise<Fault[]> {
  const archived = await readEntries(deps);
  const stored = await readTables(deps);
  const faults = [...archived].flatMap(([name, fields]) => fieldFaults(name, fields, stored.get(name)));
  const added = [...stored.keys()].filter((name) => !archived.has(name));
  return [...faults, ...added.map((name) => altered(name, 'no entry says that it was added'))];
}

function fieldFaults(
  name: string,
  fields: Map<string, Field>,
  row: Record<string, string | undefined> | undefined,
): Fault[] {
  const [first] = fields.values();
  if (!row) return first ? [gone(first.entry, `${name}, which it is about, was removed`)] : [];
  return [...fields]
    .filter(([field, { json }]) => field in row && row[field] !== json)
    .map(([field, { entry }]) => altered(entry, `the table has another ${field} for ${name}`));
}

/** Replays the entries about settings and staff. In memory is one value per field of an account, not of a person. */
async function readEntries({ db }: Deps): Promise<ArchivedAccounts> {
  const archived: ArchivedAccounts = new Map();
  for (let after: RowKey = { advisorId: -1, id: 0 }; ; ) {
    const rows = await store.listSettingEntries(db, after, entriesAtOnce);
    for (const row of rows) {
      const setting = settingOf(row);
      if (!setting) continue;
      if (!setting.values) {
        archived.delete(setting.name);
        continue;
      }
      const fields = archived.get(setting.name) ?? new Map<string, Field>();
      archived.set(setting.name, fields);
      for (const [field, json] of Object.entries(jsonOf(setting.values)))
        fields.set(field, { json, entry: nameOf(row) });
    }
    const last = rows.at(-1);
    if (!last || rows.length < entriesAtOnce) return archived;
    after = { advisorId: last.advisorId, id: last.number };
  }
}

/** Null for entries about something else: applications, keys, connections, retention. */
function settingOf({ advisorId, kind, meta, body }: SettingRow): Setting | null {
  const { what, firmId, staffId, carrierId, action, wording, version } = JSON.parse(meta);
  const values = JSON.parse(body ?? '{}');
  if (kind === 'staff') {
    const name = `staff ${staffId}`;
    if (action === 'role changed') return { name, values: changed(values) };
    return { name, values: { ...values, firmId, disabled: action === 'disabled' } };
  }
  switch (what) {
    case 'advisor added':
      return { name: `advisor ${advisorId}`, values };
    case 'advisor set':
      return { name: `advisor ${advisorId}`, values: changed(values) };
    case 'carrier added':
      return { name: `carrier ${carrierId}`, values };
    case 'carrier set':
      return { name: `carrier ${carrierId}`, values: changed(values) };
    case 'carrier removed':
      return { name: `carrier ${carrierId}`, values: null };
    case 'firm added':
    case 'review sample set':
      return { name: `firm ${firmId}`, values };
    case 'firm set':
      return { name: `firm ${firmId}`, values: changed(values) };
    case 'wording set':
      return { name: `wording ${wording} ${version} of firm ${firmId}`, values };
    case 'lexicon set':
      return { name: `lexicon ${version} of firm ${firmId}`, values };
    default:
      return null;
  }
}

/** The fields after the change. That a password was changed is no value to compare. */
function changed(changes: Record<string, { to?: unknown } | string>): object {
  const fields = Object.entries(changes).flatMap(([field, change]) =>
    typeof change === 'string' ? [] : [[field, change.to] as const],
  );
  return Object.fromEntries(fields);
}

async function readTables({ db }: Deps): Promise<StoredAccounts> {
  const stored: StoredAccounts = new Map();
  const percents = new Map((await store.listSamplePercents(db)).map((row) => [row.firmId, row]));
  for (const firm of await listFirms(db))
    stored.set(`firm ${firm.firmId}`, jsonOf({ ...firm, ...percents.get(firm.firmId) }));
  for (const advisor of await listAdvisors(db)) stored.set(`advisor ${advisor.advisorId}`, jsonOf(advisor));
  for (const { carrierId, sealedSettings, ...carrier } of await listCarriers(db)) {
    const settingsHash = sealedSettings && createHash('sha256').update(sealedSettings).digest('hex');
    const { name, kind, disabled } = carrier;
    // Every database has the sandbox's from the start, as it is.
    const isSandbox = carrierId === sandboxCarrierId && kind === 'sandbox' && name === kind && !disabled;
    if (!isSandbox) stored.set(`carrier ${carrierId}`, jsonOf({ name, kind, disabled, settingsHash }));
  }
  for (const staff of await listStaff(db)) stored.set(`staff ${staff.staffId}`, jsonOf(staff));
  for (const { firmId, kind, version, text } of await store.listAllWordings(db))
    stored.set(`wording ${kind} ${version} of firm ${firmId}`, jsonOf({ text }));
  // The rules are JSON already, and whoever altered them may have broken that.
  for (const { firmId, version, rules } of await store.listAllLexicons(db))
    stored.set(`lexicon ${version} of firm ${firmId}`, { rules });
  return stored;
}

function jsonOf(values: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, JSON.stringify(value)]));
}
