import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exportContacts } from '../../../domain/address-book/contact-exports.ts';
import { fileBytesMax, previewImport, refusedRows } from '../../../domain/address-book/file-imports.ts';
import { byAdvisor } from '../../../domain/archive/archive.ts';
import { invalid, problem } from '../../../domain/problems.ts';
import { BookFilter } from '../../../schemas/address-book/own-book.ts';
import { validator } from '../../../schemas/shared/validate.ts';
import { parseBody, readRawBody } from '../../door/body.ts';
import { type Check, callerOf } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';
import { shownPreview } from './imports.ts';

const fileNameLengthMax = 200;

/** Contacts as CSV files: an upload with its preview, the rows that were refused, and an export. */
export function addContactFiles(app: FastifyInstance, { deps }: Visits, checks: Check[]): void {
  const validate = validator(BookFilter);

  addPassage(app, { method: 'POST', path: '/app/api/imports' }, checks, async (request, reply) => {
    const file = await readRawBody(request.raw, fileBytesMax);
    if (file === 'too large')
      throw problem('payload_too_large', `A file can have ${fileBytesMax / 1024 / 1024} MB. Split it.`);
    const fileName = fileNameIn(request);
    const preview = await previewImport(deps, callerOf(request).advisorId, { fileName, file });
    reply.type('application/json; charset=utf-8').send(JSON.stringify(shownPreview(preview)));
  });

  addPassage(app, { method: 'GET', path: '/app/api/imports/:importId/refused' }, checks, async (request, reply) => {
    const { importId } = request.params as { importId: string };
    const { advisorId } = callerOf(request);
    await sendCsv(reply, 'refused.csv', await refusedRows(deps, advisorId, Number(importId) || 0));
  });

  // A POST, because it leaves an entry in the archive.
  addPassage(app, { method: 'POST', path: '/app/api/contacts/export' }, checks, async (request, reply) => {
    const { advisorId } = callerOf(request);
    const filter = validate(parseBody(await readRawBody(request.raw), request.headers));
    if ('broken' in filter) throw invalid(filter.broken);
    const contacts = exportContacts(deps, advisorId, { by: byAdvisor(advisorId, request.id), filter: filter.value });
    await sendCsv(reply, 'contacts.csv', deps.contactFiles.write(contacts));
  });
}

function fileNameIn(request: FastifyRequest): string {
  const given = request.headers['x-file-name'];
  try {
    return decodeURIComponent(String(given ?? 'contacts.csv'))
      .slice(0, fileNameLengthMax)
      .toWellFormed();
  } catch {
    return 'contacts.csv';
  }
}

/** The first part is read before anything is sent, so that what goes wrong at first is a Problem. */
async function sendCsv(reply: FastifyReply, name: string, parts: AsyncIterable<string>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = { [Symbol.asyncIterator]: () => iterator };
  async function* all() {
    if (!first.done) yield first.value;
    yield* rest;
  }
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  // If it breaks off, the connection does: nobody takes a part for the whole.
  await pipeline(Readable.from(all()), raw).catch(() => raw.destroy());
}
