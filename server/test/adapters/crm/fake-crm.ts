import { type Crm, type CrmAccess, CrmFault, type RemoteContact } from '../../../src/domain/ports.ts';

/** A CRM behind the port whose contacts and behavior the test decides. */
export type FakeCrm = {
  access: CrmAccess;
  crm: Crm;
  hold(id: string, fields: RemoteContact['fields']): void;
  /** From now on it fails with this fault, or answers again if null. */
  fail(fault: string | null): void;
  /** Called before each answer, to do something during a lookup. */
  before(step: () => Promise<void>): void;
  /** The numbers that were looked up. */
  asked: string[];
};

export function fakeCrm(): FakeCrm {
  const cards = new Map<string, RemoteContact>();
  const asked: string[] = [];
  let fault: string | null = null;
  let before = async () => {};

  const crm: Crm = {
    async lookup(phone, signal) {
      asked.push(phone);
      await before();
      signal.throwIfAborted();
      if (fault) throw new CrmFault(fault);
      return [...cards.values()].find(({ fields }) => fields.phone === phone) ?? null;
    },
  };

  return {
    access: { url: 'https://crm.example', secret: 'fake' },
    crm,
    hold: (id, fields) =>
      void cards.set(id, { remoteContactId: id, remoteContactUrl: `https://crm.example/${id}`, fields }),
    fail(reason) {
      fault = reason;
    },
    before(step) {
      before = step;
    },
    asked,
  };
}
