import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exportContacts } from '../../../domain/address-book/contact-exports.ts';
import { fileBytesMax, previewImport, refusedRows } from '../../../domain/address-book/file-imports.ts';
import { byAdvisor } from '../../../domain/archive/archive.ts';
import { problem } from '../../../domain/problems.ts';
import { storable } from '../../../domain/shared/text/text-rules.ts';
import { ListFilterQuery } from '../../../schemas/address-book/listed-contacts.ts';
import { valid, validator } from '../../../schemas/shared/validate.ts';
import { sendDownload } from '../../browser/media.ts';
import { parseBody, readRawBody } from '../../door/body.ts';
import { type Check, callerOf } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { LongWork } from '../../door/long-work.ts';
import type { Visits } from '../visits.ts';
import { shownPreview } from './imports.ts';

const fileNameLengthMax = 200;
const signInAgain = 'Sign in again first: an export takes your contacts out, so we need to confirm it’s you.';
const csvType = 'text/csv; charset=utf-8';

/** Contacts as CSV files: an upload with its preview, the rows that were refused, and an export. */
export function addContactFiles(
  app: FastifyInstance,
  { deps, freshSessionOf }: Visits,
  { checks, longWork, admit }: { checks: Check[]; longWork: LongWork; admit: Check },
): void {
  const validate = validator(ListFilterQuery);
  /** Whose file is being read: one at a time, since it is in memory and takes seconds of work. */
  const reading = new Set<number>();

  /** Each part has a place while it is made, and none while a client reads it, however slowly. */
  async function* inPlaces<Part>(reply: FastifyReply, advisorId: number, parts: AsyncIterable<Part>) {
    const iterator = parts[Symbol.asyncIterator]();
    const next = () => longWork(deps, { reply, who: `advisor ${advisorId}` }, () => iterator.next());
    for (let part = await next(); !part.done; part = await next()) yield part.value;
  }

  async function readAlone(advisorId: number, read: () => Promise<void>): Promise<void> {
    if (reading.has(advisorId)) throw problem('conflict', 'Another file is being read. Wait until it is done.');
    reading.add(advisorId);
    await read().finally(() => reading.delete(advisorId));
  }

  addPassage(app, { method: 'POST', path: '/app/api/imports' }, checks, async (request, reply) => {
    const { advisorId } = callerOf(request);
    await readAlone(advisorId, async () => {
      const file = await readRawBody(request.raw, fileBytesMax);
      if (file === 'too large')
        throw problem('payload_too_large', `A file can have ${fileBytesMax / 1024 / 1024} MB. Split it.`);
      await admit(request, reply);
      const preview = await previewImport(deps, advisorId, { fileName: fileNameIn(request), file });
      reply.type('application/json; charset=utf-8').send(JSON.stringify(shownPreview(preview)));
    });
  });

  addPassage(app, { method: 'GET', path: '/app/api/imports/:importId/refused' }, checks, async (request, reply) => {
    const { importId } = request.params as { importId: string };
    const { advisorId } = callerOf(request);
    await readAlone(advisorId, async () => {
      const parts = await refusedRows(deps, advisorId, /^\d{1,15}$/.test(importId) ? Number(importId) : 0);
      await sendDownload(reply, { name: 'refused.csv', type: csvType, parts });
    });
  });

  // A POST, because it leaves an entry in the archive.
  addPassage(app, { method: 'POST', path: '/app/api/contacts/export' }, checks, async (request, reply) => {
    const { advisorId } = callerOf(request);
    const filter = valid(validate(parseBody(await readRawBody(request.raw), request.headers)));
    await admit(request, reply);
    // The book leaves with it: a session that somebody stole is usually older.
    if (!(await freshSessionOf(request))) throw problem('forbidden', signInAgain, { details: { freshSignIn: true } });
    const contacts = exportContacts(deps, advisorId, { by: byAdvisor(advisorId, request.id), filter });
    const parts = inPlaces(reply, advisorId, deps.contactFiles.write(contacts));
    await sendDownload(reply, { name: 'contacts.csv', type: csvType, parts });
  });
}

function fileNameIn(request: FastifyRequest): string {
  const given = request.headers['x-file-name'];
  try {
    return storable(decodeURIComponent(String(given ?? 'contacts.csv')), fileNameLengthMax);
  } catch {
    return 'contacts.csv';
  }
}
