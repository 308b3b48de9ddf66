import { telnyxReader } from './calls.ts';
import { telnyxSchema, telnyxSecrets } from './settings.ts';
import { telnyxCarrier } from './telnyx-carrier.ts';

export const telnyxKind = { schema: telnyxSchema, secrets: telnyxSecrets, open: telnyxCarrier, reader: telnyxReader };
