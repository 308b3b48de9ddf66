import type { CarrierKind, carrierKindNames } from '../../domain/ports.ts';
import { mediaFetcher } from './http/media.ts';
import { sandboxCarrier } from './sandbox/sandbox-carrier.ts';
import { smppKind } from './smpp/smpp-carrier.ts';
import { telnyxKind } from './telnyx/telnyx-carrier.ts';
import { twilioKind } from './twilio/twilio-carrier.ts';

type CarrierKindName = 'sandbox' | (typeof carrierKindNames)[number];

/** Every kind of carrier. A new one is a folder beside these, a row here, and a name in domain/ports.ts. */
export const carrierKinds: Record<CarrierKindName, CarrierKind> = {
  sandbox: {
    schema: { type: 'object', additionalProperties: false },
    secrets: [],
    open: (_name, _settings, { db, clock, untilReset, ...settings }) =>
      sandboxCarrier({ db, clock, untilReset, fetchMedia: mediaFetcher(settings) }),
  },
  smpp: smppKind,
  twilio: twilioKind,
  telnyx: telnyxKind,
};
