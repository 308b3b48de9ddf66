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
