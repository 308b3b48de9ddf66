import { telnyxReader } from './calls.ts';
import { telnyxSecrets, telnyxSettings } from './settings.ts';
import { telnyxCarrier } from './telnyx-carrier.ts';

export const telnyxKind = { schema: telnyxSettings, secrets: telnyxSecrets, open: telnyxCarrier, reader: telnyxReader };
