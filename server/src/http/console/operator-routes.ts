import type { StaffRole } from '../../domain/accounts/staff.ts';
import type { Route } from '../door/route.ts';
import * as advisors from './advisors.ts';
import * as alerts from './alerts.ts';
import * as keys from './api-keys.ts';
import * as applications from './applications.ts';
import * as audit from './audit.ts';
import * as carriers from './carriers.ts';
import * as doubts from './doubts.ts';
import type { ConsoleEndpoint } from './endpoint.ts';
import * as firms from './firms.ts';
import * as numbers from './numbers.ts';
import * as operations from './operations.ts';
import * as staff from './staff.ts';
import * as traffic from './traffic.ts';
import * as webhooks from './webhooks.ts';

const operators = ['operator'] as const;

/** What the operator's pages call: the deployment's records, and never a text. */
// biome-ignore format: a table
const table: [Route['method'], string, ConsoleEndpoint][] = [
  ['GET',    '/traffic',                             traffic.get],
  ['GET',    '/traffic/now',                         traffic.getNow],

  ['GET',    '/firms',                               firms.list],
  ['POST',   '/firms',                               firms.add],
  ['PUT',    '/firms/:firmId',                       firms.set],
  ['GET',    '/advisors',                            advisors.list],
  ['POST',   '/firms/:firmId/advisors',              advisors.add],
  ['PUT',    '/advisors/:advisorId',                 advisors.set],
  ['POST',   '/advisors/:advisorId/invite',          advisors.invite],

  ['GET',    '/carriers',                            carriers.list],
  ['GET',    '/carriers/kinds',                      carriers.kinds],
  ['POST',   '/carriers',                            carriers.add],
  ['PUT',    '/carriers/:carrier',                   carriers.set],
  ['DELETE', '/carriers/:carrier',                   carriers.remove],
  ['GET',    '/numbers',                             numbers.list],
  ['POST',   '/numbers/:advisorId',                  numbers.add],
  ['PUT',    '/numbers/:advisorId',                  numbers.set],
  ['DELETE', '/numbers/:advisorId',                  numbers.release],
  ['GET',    '/numbers/:advisorId/check',            numbers.check],

  ['GET',    '/applications',                        applications.list],
  ['POST',   '/applications',                        applications.add],
  ['PUT',    '/applications/:clientId',              applications.set],
  ['POST',   '/applications/:clientId/secret',       applications.rotate],
  ['POST',   '/applications/:clientId/disable',      applications.disable],
  ['POST',   '/applications/:clientId/disconnect',   applications.disconnectAll],
  ['GET',    '/applications/:clientId/provisions',   applications.provisions],
  ['PUT',    '/applications/:clientId/provisions/:advisorId', applications.addProvision],
  ['DELETE', '/applications/:clientId/provisions/:advisorId', applications.removeProvision],
  ['POST',   '/applications/:clientId/keys',         keys.issue],
  ['GET',    '/keys',                                keys.list],
  ['PUT',    '/keys/:keyId',                         keys.setPlan],
  ['POST',   '/keys/:keyId/revoke',                  keys.revoke],
  ['GET',    '/audit',                               audit.list],
  ['GET',    '/audit/actors',                        audit.actors],
  ['POST',   '/explanations',                        operations.explain],
  ['GET',    '/operations',                          operations.overview],
  ['GET',    '/doctor',                              operations.doctor],
  ['GET',    '/doubts',                              doubts.list],
  ['POST',   '/doubts/:advisorId/:messageId/settle', doubts.settle],
  ['POST',   '/doubts/:advisorId/:messageId/read',   doubts.read],
  ['GET',    '/webhooks',                            webhooks.list],
  ['POST',   '/applications/:clientId/webhooks',     webhooks.add],
  ['DELETE', '/webhooks/:webhookId',                 webhooks.remove],
  ['POST',   '/webhooks/:webhookId/secret',          webhooks.rotate],
  ['POST',   '/webhooks/:webhookId/disable',         webhooks.disable],
  ['POST',   '/webhooks/:webhookId/enable',          webhooks.enable],
  ['POST',   '/webhooks/:webhookId/test',            webhooks.test],
  ['GET',    '/webhooks/:webhookId/deliveries',      webhooks.deliveries],
  ['POST',   '/webhooks/:webhookId/redeliver',       webhooks.again],
  ['GET',    '/alerts',                              alerts.read],
  ['POST',   '/alerts/targets',                      alerts.add],
  ['DELETE', '/alerts/targets/:targetId',            alerts.remove],
  ['POST',   '/alerts/targets/:targetId/test',       alerts.test],
  ['GET',    '/signing-keys',                        keys.signingKeys],
  ['POST',   '/signing-keys',                        keys.rotateSigning],

  ['GET',    '/all-staff',                           staff.listAll],
  ['POST',   '/all-staff',                           staff.inviteNewOfAny],
  ['PUT',    '/all-staff/:staffId',                  staff.setAny],
  ['POST',   '/all-staff/:staffId/invite',           staff.inviteAny],
];

export const operatorTable: [Route['method'], string, readonly StaffRole[], ConsoleEndpoint][] = table.map(
  ([method, path, endpoint]) => [method, path, operators, endpoint],
);
