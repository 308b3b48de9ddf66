import { type Crm, type CrmAccess, type CrmBatch, CrmFault, type RemoteContact } from '../../../src/domain/ports.ts';

/** A CRM behind the port whose contacts and behavior the test decides. */
export type FakeCrm = {
  access: CrmAccess;
  crm: Crm;
  hold(id: string, fields: RemoteContact['fields'], extra?: Partial<RemoteContact>): void;
  drop(id: string): void;
  /** From now on it fails with this fault, or answers again if null. */
  fail(fault: string | null): void;
  /** Called before each answer, to make it slow or to do something during a sync. */
  before(step: (signal: AbortSignal) => Promise<void>): void;
  refuse(what: string, why: string): void;
  /** The contacts that were read and the numbers that were looked up. */
  asked: string[];
};

export function fakeCrm({ batchSize = 100 }: { batchSize?: number } = {}): FakeCrm {
  const cards = new Map<string, RemoteContact>();
  const refused: CrmBatch['refused'] = [];
  const asked: string[] = [];
  let fault: string | null = null;
  let before: (signal: AbortSignal) => Promise<void> = async () => {};
  let version = 0;

  async function answer(signal: AbortSignal): Promise<void> {
    await before(signal);
    signal.throwIfAborted();
    if (fault) throw new CrmFault(fault);
  }

  const crm: Crm = {
    async lookup(phone, signal) {
      asked.push(phone);
      await answer(signal);
      return [...cards.values()].find(({ fields }) => fields.phone === phone) ?? null;
    },
    async *list(known, signal) {
      const all = [...cards.values()];
      const isSame = (card: RemoteContact) => card.version !== null && known.get(card.locator) === card.version;
      const changed = all.filter((card) => !isSame(card));
      await answer(signal);
      const unchanged = all.filter(isSame).map(({ locator }) => locator);
      yield { contacts: [], unchanged, refused, total: all.length };
      for (let at = 0; at < changed.length; at += batchSize) {
        await answer(signal);
        const contacts = changed.slice(at, at + batchSize);
        asked.push(...contacts.map(({ remoteContactId }) => remoteContactId));
        yield { contacts, unchanged: [], refused: [], total: all.length };
      }
    },
  };

  return {
    access: { kind: 'carddav', url: 'https://crm.example', username: 'ann', secret: 'fake', region: 'US' },
    crm,
    hold(id, fields, extra = {}) {
      version += 1;
      cards.set(id, { ...cardOf(id, `v${version}`, fields), ...extra });
    },
    drop: (id) => void cards.delete(id),
    fail(reason) {
      fault = reason;
    },
    before(step) {
      before = step;
    },
    refuse: (what, why) => void refused.push({ what, why }),
    asked,
  };
}

function cardOf(id: string, version: string, fields: RemoteContact['fields']): RemoteContact {
  const url = `https://crm.example/${id}`;
  return { remoteContactId: id, remoteContactUrl: url, locator: url, version, fields, leftOut: [] };
}
