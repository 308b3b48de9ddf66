import { isDataError } from '../../store/database/errors.ts';

/** A value that PostgreSQL or a calendar rejects would fail again. Any other fault passes, or affects everything. */
export function isRowFault(error: unknown): boolean {
  return error instanceof RangeError || isDataError(error);
}
