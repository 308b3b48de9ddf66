import type { CarrierKind } from '../domain/ports.ts';
import { sandboxCarrier } from './sandbox/sandbox-carrier.ts';
import { smppKind } from './smpp/kind.ts';

export type CarrierKindName = 'sandbox' | 'smpp';

/** Every kind of carrier. A new one is a folder beside these and a row here. */
export const carrierKinds: Record<CarrierKindName, CarrierKind> = {
  sandbox: {
    schema: { type: 'object', additionalProperties: false },
    secrets: [],
    open: (_name, _settings, { db, clock }) => sandboxCarrier({ db, clock }),
  },
  smpp: smppKind,
};
