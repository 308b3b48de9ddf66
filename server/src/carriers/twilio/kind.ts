import { twilioReader } from './calls.ts';
import { twilioSecrets, twilioSettings } from './settings.ts';
import { twilioCarrier } from './twilio-carrier.ts';

export const twilioKind = { schema: twilioSettings, secrets: twilioSecrets, open: twilioCarrier, reader: twilioReader };
