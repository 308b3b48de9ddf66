import { DateTime, Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the console sends. It is no contract: the console and the server change together. */

export const NewExport = Type.Object({
  advisorId: Id(),
  from: DateTime(),
  to: DateTime(),
  format: Type.Unsafe<'eml' | 'ndjson'>({ type: 'string', enum: ['eml', 'ndjson'] }),
});
export const ExportParams = Type.Object({ exportId: Id() });
