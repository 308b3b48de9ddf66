import { createReadStream } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { listExports, openExport, startExport } from '../../domain/record-keeping/exports.ts';
import { DateTime, Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { sendDownload } from '../browser/media.ts';
import { firmEndpoint } from './endpoint.ts';

const NewExport = Type.Object({
  advisorId: Id(),
  from: DateTime(),
  to: DateTime(),
  format: Type.Unsafe<'eml' | 'ndjson'>({ type: 'string', enum: ['eml', 'ndjson'] }),
});
const ExportParams = Type.Object({ exportId: Id() });

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listExports(deps, firmId) }),
});

export const start = firmEndpoint({
  isFresh: true,
  body: NewExport,
  handler: (deps, { firmId, staffId }, { body: { from, to, ...asked } }, { traceId }) =>
    startExport(deps, { firmId, staffId, traceId, from: instantOf(from), to: instantOf(to), ...asked }),
});

/** A browser that saves a file can't be asked to sign in again: the page asks here first. */
export const confirm = firmEndpoint({ isFresh: true, handler: async () => undefined });

export const file = firmEndpoint({
  isFresh: true,
  params: ExportParams,
  async handler(deps, { firmId }, { params: { exportId } }, by) {
    const parts = await openExport(deps, firmId, exportId, by);
    return sends({ name: `archive-export-${exportId}.zip`, type: 'application/zip', parts });
  },
});

/** What an examiner checks an export with. It is the same for everybody. */
export const verifier = firmEndpoint({
  async handler() {
    const parts = createReadStream(new URL('../../../verify.mjs', import.meta.url));
    return sends({ name: 'verify.mjs', type: 'text/javascript; charset=utf-8', parts });
  },
});

function sends(file: Parameters<typeof sendDownload>[1]) {
  return (reply: FastifyReply) => sendDownload(reply, file);
}
