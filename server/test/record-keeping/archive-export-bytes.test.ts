import { test } from 'node:test';
import { rounds } from '../support/rounds.ts';
import { compareBytes } from './archive-export-bytes.ts';

/** `npm run fuzz -- --only texts` tries more. */
const textsCount = rounds(2_000);

test('the handset, the archive, the e-mails and the NDJSON have the same bytes, for any Unicode text', async (t) => {
  await compareBytes(textsCount, (line) => t.diagnostic(line));
});
