import { carrierKinds } from '../../src/adapters/carriers/kinds.ts';
import { crmOpener } from '../../src/adapters/crm/open.ts';
import { contactFiles } from '../../src/adapters/files/contacts/contact-files.ts';
import { archivePackages } from '../../src/adapters/files/exports/packages.ts';
import { makePush } from '../../src/adapters/webhooks/push.ts';
import { readConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import type { DatabaseClock } from '../../src/domain/ports.ts';
import { makeSealer } from '../../src/domain/shared/sealing.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { takeTurn } from '../../src/domain/shared/turns.ts';
import { makeScreeners } from '../../src/domain/supervision/screeners.ts';
import type { Db } from '../../src/store/database/db.ts';
import { fixedCarriers } from './carriers.ts';

/** Right all the time. */
export const systemClock: DatabaseClock = {
  now: () => new Date(),
  anchor: async () => {},
  aheadMs: () => 0,
  fault: () => null,
};

const thisMachine = ['127.0.0.0/8', '::1'];

/** What a process works with, on a database: without a carrier, and with no archive outside of it. */
export function depsOn(db: Db, own: Partial<Deps> = {}): Deps {
  const config = own.config ?? readConfig({ LOG_LEVEL: 'silent' });
  return {
    db,
    reserved: db,
    clock: systemClock,
    databaseClock: systemClock,
    sandboxClock: undefined,
    config,
    signals: makeSignals(),
    carriers: fixedCarriers(),
    carrierKinds,
    screeners: makeScreeners(),
    turn: takeTurn,
    openCrm: crmOpener(thisMachine),
    contactFiles,
    archivePackages,
    push: makePush(thisMachine),
    sealer: makeSealer(config.credentialsKeys),
    signer: null,
    archiveMemory: null,
    checkpointFolder: null,
    diagnose: async () => [],
    sendMail: null,
    deliverCheckpoint: null,
    ...own,
  };
}
