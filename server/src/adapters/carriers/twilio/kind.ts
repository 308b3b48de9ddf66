import { twilioReader } from './calls.ts';
import { twilioSchema, twilioSecrets } from './settings.ts';
import { twilioCarrier } from './twilio-carrier.ts';

export const twilioKind = { schema: twilioSchema, secrets: twilioSecrets, open: twilioCarrier, reader: twilioReader };
