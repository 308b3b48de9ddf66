import { test } from 'node:test';
import { compareBytes } from './archive-export-bytes.ts';

/** `npm run fuzz -- --only texts` tries more. */
const textsCount = 2_000;

test('the handset, the archive, the e-mails and the NDJSON have the same bytes, for 2,000 Unicode texts', async (t) => {
  await compareBytes(textsCount, (line) => t.diagnostic(line));
});
