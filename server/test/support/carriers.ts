import { noCalls } from '../../src/domain/carriers/calls.ts';
import type { Carrier, Carriers, OpenCarrier } from '../../src/domain/ports.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';

/** Whoever brings a reply in a test that has one carrier. */
export const bySandbox = { carrierId: sandboxCarrierId, answersKeywords: false };

export function openCarrier(carrier: Carrier, more: Partial<OpenCarrier> = {}): OpenCarrier {
  const { name } = carrier;
  const off = { answersKeywords: false, looksUp: false };
  return { carrierId: sandboxCarrierId, name, version: 1, ...off, carrier, readCall: null, calls: noCalls(), ...more };
}

/** These carriers and no others, whatever the rows say: the first is the one that the sandbox's numbers have. */
export function fixedCarriers(...carriers: (OpenCarrier | Carrier)[]): Carriers {
  const open = carriers.map((each, index) =>
    'carrier' in each ? each : openCarrier(each, { carrierId: sandboxCarrierId + index }),
  );
  return {
    find: (carrierId) => open.find((each) => each.carrierId === carrierId),
    list: () => open,
    refresh: async () => {},
    faults: () => [],
  };
}
