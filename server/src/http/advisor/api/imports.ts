import * as imports from '../../../domain/address-book/file-imports.ts';
import { ImportParams } from '../../../schemas/address-book/listed-contacts.ts';
import { endpoint } from '../../door/route.ts';

/** The last one, or null. */
export const get = endpoint({
  async handler(deps, advisorId) {
    return { import: await imports.findFileImport(deps, advisorId) };
  },
});

export const start = endpoint({
  params: ImportParams,
  handler: (deps, advisorId, { params }) => imports.startFileImport(deps, advisorId, params.importId),
});

export const stop = endpoint({
  params: ImportParams,
  handler: (deps, advisorId, { params }) => imports.stopFileImport(deps, advisorId, params.importId),
});

export const dismiss = endpoint({
  params: ImportParams,
  handler: (deps, advisorId, { params }) => imports.dismissImport(deps, advisorId, params.importId),
});

/** What the person sees before anything is changed. */
export function shownPreview({ rows, ...preview }: imports.ImportPreview) {
  return {
    ...preview,
    rows: rows.map(({ prepared, result }) => ({
      line: prepared.line,
      result: result ?? ('refused' as const),
      why:
        'refused' in prepared
          ? prepared.refused
          : prepared.leftOut.map(({ column, why }) => `${column}: ${why}`).join('; '),
      ...('row' in prepared ? shownRow(prepared.row) : {}),
    })),
  };
}

type Row = Extract<imports.PreviewRow['prepared'], { row: unknown }>['row'];

function shownRow({ fields, groups }: Row) {
  const { firstName, lastName, phone, emailAddress } = fields;
  return {
    name: [firstName, lastName].filter(Boolean).join(' '),
    phone: phone ?? null,
    email: emailAddress ?? null,
    groups,
  };
}
