import { createHash } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import type { CarrierRow } from '../../store/carriers/carriers.ts';
import * as store from '../../store/carriers/carriers.ts';
import { archiveSetting, changesOf } from '../accounts/settings.ts';
import { type By, byOperator, byService } from '../archive/archive.ts';
import type { CarrierKind, CarrierSettings } from '../ports.ts';
import { problem } from '../problems.ts';
import { changedSettings, checkSettings, withoutSecrets } from './settings.ts';

/** Its secrets are hidden. */
export type CarrierView = Pick<CarrierRow, 'carrierId' | 'name' | 'kind' | 'disabled' | 'version'> & {
  settings: CarrierSettings;
};

const namePattern = /^[a-z0-9][a-z0-9_-]{0,49}$/;

export async function addCarrier(
  deps: Deps,
  { name, kind, settings }: { name: string; kind: string; settings: unknown },
  by: By = byOperator,
): Promise<CarrierView> {
  if (!namePattern.test(name))
    throw problem('invalid_request', 'A carrier’s name has 1 to 50 lower-case letters, digits, - and _.');
  const known = kindOf(deps, kind);
  checkSettings(known, settings);
  return inTransaction(deps, async (deps) => {
    const row = await store.insertCarrier(deps.db, { name, kind }, deps.clock.now());
    if (!row) throw problem('invalid_request', `There is a carrier ${name} already.`);
    const sealedSettings = sealed(deps, row.carrierId, settings);
    await store.updateCarrier(deps.db, row.carrierId, { sealedSettings });
    const values = archived({ ...row, sealedSettings }, withoutSecrets(known, settings));
    await archiveSetting(deps, by, { what: 'carrier added', of: { carrierId: row.carrierId, name }, values });
    return shown(deps, { ...row, sealedSettings, version: row.version + 1 });
  });
}

/** Changes some of its settings; nodes open it again within seconds. */
export async function setCarrier(
  deps: Deps,
  name: string,
  change: { settings?: CarrierSettings | undefined; disabled?: boolean | undefined },
  by: By = byOperator,
): Promise<CarrierView> {
  return inTransaction(deps, async (deps) => {
    const row = await lockCarrier(deps, name);
    const known = kindOf(deps, row.kind);
    const before = settingsOf(deps, row);
    const settings = changedSettings(known, before, change.settings ?? {});
    checkSettings(known, settings);
    const sealedSettings = change.settings ? sealed(deps, row.carrierId, settings) : row.sealedSettings;
    const after = { ...row, sealedSettings, disabled: change.disabled ?? row.disabled };
    const values = changesOf(
      archived(row, withoutSecrets(known, before)),
      archived(after, withoutSecrets(known, settings)),
    );
    if (values) {
      await store.updateCarrier(deps.db, row.carrierId, { sealedSettings, disabled: after.disabled });
      await archiveSetting(deps, by, { what: 'carrier set', of: { carrierId: row.carrierId, name }, values });
    }
    return shown(deps, after);
  });
}

export async function removeCarrier(deps: Deps, name: string, by: By = byOperator): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const { carrierId } = await lockCarrier(deps, name);
    if (!(await store.deleteCarrier(deps.db, carrierId)))
      throw problem('conflict', `Numbers use ${name}: give them another carrier first (assent numbers list).`);
    await archiveSetting(deps, by, { what: 'carrier removed', of: { carrierId, name }, values: {} });
  });
}

export async function listCarriers(deps: Deps): Promise<CarrierView[]> {
  return (await store.listCarriers(deps.db)).map((row) => shown(deps, row));
}

/** A setting of a kind of carrier, for a form: secrets can be written and not read. */
type CarrierField = {
  name: string;
  about: string;
  /** `servers` is a list of hosts with their ports, `json` anything else that has parts. */
  type: 'string' | 'number' | 'boolean' | 'servers' | 'json';
  /** If it is one of some words; the first is the default. */
  choices?: string[];
  isRequired: boolean;
  isSecret: boolean;
};

/** The kinds that can be added, with their settings. */
export function listCarrierKinds({ carrierKinds }: Pick<Deps, 'carrierKinds'>) {
  return Object.entries(carrierKinds).flatMap(([kind, { schema, secrets }]) => {
    if (kind === 'sandbox') return [];
    const { properties = {}, required = [] } = schema as {
      properties?: Record<string, { type?: string; description?: string; enum?: string[] }>;
      required?: string[];
    };
    const fields = Object.entries(properties).map(([name, { type = '', description, enum: choices }]) => ({
      name,
      about: description ?? name,
      type: fieldTypes[type] ?? 'json',
      ...(choices && { choices }),
      isRequired: required.includes(name),
      isSecret: secrets.includes(name),
    }));
    return [{ kind, fields }];
  });
}

const fieldTypes: Record<string, CarrierField['type']> = {
  string: 'string',
  boolean: 'boolean',
  number: 'number',
  integer: 'number',
  array: 'servers',
};

/** A carrier that numbers can have: the sandbox's only in the sandbox. */
export async function getUsableCarrier(deps: Deps, name: string): Promise<CarrierRow> {
  const row = await store.findCarrier(deps.db, name);
  if (!row) throw noCarrier(name);
  if (row.kind === 'sandbox' && deps.config.environment !== 'sandbox')
    throw problem('invalid_request', 'Only the sandbox environment has the sandbox’s carrier.');
  return row;
}

/** Seals every carrier's settings again with the first key; returns how many. */
export async function resealCarriers(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const { name } of await store.listCarriers(deps.db))
    await inTransaction(deps, async (deps) => {
      const row = await store.findCarrierForUpdate(deps.db, name);
      if (!row?.sealedSettings) return;
      const sealedSettings = sealed(deps, row.carrierId, settingsOf(deps, row));
      await store.updateSealedSettings(deps.db, row.carrierId, sealedSettings);
      const values = changesOf(archived(row, {}), archived({ ...row, sealedSettings }, {})) ?? {};
      await archiveSetting(deps, byService, { what: 'carrier set', of: { carrierId: row.carrierId, name }, values });
      resealed += 1;
    });
  return resealed;
}

export function settingsOf({ sealer }: Pick<Deps, 'sealer'>, row: CarrierRow): CarrierSettings {
  return row.sealedSettings ? JSON.parse(sealer.open(row.sealedSettings, ownerOf(row.carrierId))) : {};
}

/** The sandbox's can't be changed. */
async function lockCarrier(deps: Deps, name: string): Promise<CarrierRow> {
  const row = await store.findCarrierForUpdate(deps.db, name);
  if (!row) throw noCarrier(name);
  if (row.carrierId === store.sandboxCarrierId)
    throw problem('invalid_request', 'The sandbox’s carrier can’t be changed or removed.');
  return row;
}

function kindOf({ carrierKinds }: Deps, kind: string): CarrierKind {
  const known = kind === 'sandbox' ? undefined : carrierKinds[kind];
  const others = Object.keys(carrierKinds).filter((each) => each !== 'sandbox');
  if (!known) throw problem('invalid_request', `There is no kind of carrier ${kind}, only ${others.join(', ')}.`);
  return known;
}

function shown(deps: Deps, row: CarrierRow): CarrierView {
  const { carrierId, name, kind, disabled, version } = row;
  const known = deps.carrierKinds[kind];
  const canOpen = row.sealedSettings === null || deps.sealer.canOpen(row.sealedSettings);
  const settings = known && canOpen ? withoutSecrets(known, settingsOf(deps, row)) : {};
  return { carrierId, name, kind, disabled, version, settings };
}

/** The hash lets verification tell whether the sealed settings are those that were archived. */
function archived({ name, kind, disabled, sealedSettings }: CarrierRow, settings: CarrierSettings) {
  const settingsHash = sealedSettings && createHash('sha256').update(sealedSettings).digest('hex');
  return { name, kind, disabled, settings, settingsHash };
}

function sealed({ sealer }: Deps, carrierId: number, settings: CarrierSettings): Buffer {
  return sealer.seal(JSON.stringify(settings), ownerOf(carrierId));
}

function ownerOf(carrierId: number): string {
  return `carriers/${carrierId}`;
}

function noCarrier(name: string) {
  return problem('not_found', `There is no carrier ${name}: assent carriers list shows them.`);
}
