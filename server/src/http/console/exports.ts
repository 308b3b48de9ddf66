import { createReadStream } from 'node:fs';
import { listExports, openExport, startExport } from '../../domain/record-keeping/exports.ts';
import { ExportParams, NewExport } from '../../schemas/record-keeping/exports.ts';
import { firmEndpoint, SentFile } from './endpoint.ts';

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listExports(deps, firmId) }),
});

export const start = firmEndpoint({
  body: NewExport,
  handler: (deps, { firmId, staffId }, { body: { from, to, ...asked } }) =>
    startExport(deps, { firmId, staffId, from: new Date(from), to: new Date(to), ...asked }),
});

export const file = firmEndpoint({
  params: ExportParams,
  handler: async (deps, { firmId }, { params: { exportId } }) =>
    new SentFile(`archive-export-${exportId}.zip`, 'application/zip', await openExport(deps, firmId, exportId)),
});

/** What an examiner checks an export with. It is the same for everybody. */
export const verifier = firmEndpoint({
  handler: async () =>
    new SentFile(
      'verify.mjs',
      'text/javascript; charset=utf-8',
      createReadStream(new URL('../../../verify.mjs', import.meta.url)),
    ),
});
