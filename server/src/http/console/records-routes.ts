import type { StaffRole } from '../../domain/accounts/staff.ts';
import type { Route } from '../door/route.ts';
import * as archive from './archive.ts';
import type { ConsoleEndpoint } from './endpoint.ts';
import * as archiveExports from './exports.ts';
import * as holds from './holds.ts';
import * as people from './people.ts';
import * as wordings from './wordings.ts';

const officers = ['compliance_officer'] as const;
const firmStaff = ['reviewer', 'compliance_officer'] as const;

/** The pages of a firm's records: its archive, consent, holds and wordings. */
// biome-ignore format: a table
export const recordsTable: [Route['method'], string, readonly StaffRole[], ConsoleEndpoint][] = [
  ['GET',  '/firm/advisors',                       firmStaff, people.advisors],
  ['POST', '/people/search',                       firmStaff, people.search],
  ['GET',  '/people/:advisorId/:memberId/consent', firmStaff, people.consent],
  ['POST', '/archive/search',                      firmStaff, archive.search],
  ['POST', '/archive/searches',                    firmStaff, archive.save],
  ['GET',  '/archive/searches/:searchId',          firmStaff, archive.saved],
  ['GET',  '/archive/:advisorId/:number',          firmStaff, archive.entry],
  ['POST', '/archive/:advisorId/:number/text',     firmStaff, archive.read],
  ['GET',  '/archive/:advisorId/:number/proof',    firmStaff, archive.proof],
  ['GET',  '/holds',                               officers,  holds.list],
  ['POST', '/holds',                               officers,  holds.add],
  ['POST', '/holds/:holdId/lift',                  officers,  holds.lift],
  ['GET',  '/retention',                           officers,  holds.retention],
  ['PUT',  '/retention',                           officers,  holds.setYears],
  ['GET',  '/retention/due',                       officers,  holds.due],
  ['GET',  '/exports',                             officers,  archiveExports.list],
  ['POST', '/exports',                             officers,  archiveExports.start],
  ['GET',  '/exports/:exportId/file',              officers,  archiveExports.file],
  ['GET',  '/exports/verify.mjs',                  officers,  archiveExports.verifier],
  ['GET',  '/wordings',                            officers,  wordings.list],
  ['PUT',  '/wordings',                            officers,  wordings.set],
];
