import type { Db } from '../database/db.ts';
import { falseIfTaken } from '../database/errors.ts';

export type QuietHours = 'off' | 'defer' | 'refuse';

export type AdvisorRow = {
  advisorId: number;
  firmId: number;
  name: string;
  email: string;
  textingNumber: string | null;
  timeZone: string;
  consentRequired: boolean;
  consentCollection: boolean;
  quietHours: QuietHours;
  /** Texts per second from the number; null means as fast as the carrier accepts them. */
  textingPace: number | null;
  /** The carrier of the number; null if it has none, and then nothing can be sent. */
  carrierId: number | null;
  /** What an operator noted of the number's registration. */
  campaign: string | null;
  disabled: boolean;
  dateTimeCreated: Date;
};
export type AdvisorSettings = Omit<AdvisorRow, 'advisorId' | 'firmId' | 'dateTimeCreated'>;
export type NewAdvisor = AdvisorSettings & { firmId: number; passwordHash: string | null };

const settingColumns: Record<keyof AdvisorSettings | 'passwordHash', string> = {
  name: 'name',
  email: 'email',
  textingNumber: 'texting_number',
  timeZone: 'time_zone',
  consentRequired: 'consent_required',
  consentCollection: 'consent_collection',
  quietHours: 'quiet_hours',
  textingPace: 'texting_pace',
  carrierId: 'carrier_id',
  campaign: 'campaign',
  disabled: 'disabled',
  passwordHash: 'password_hash',
};

const columns = `
  advisor_id as "advisorId", firm_id as "firmId", name, email, texting_number as "textingNumber",
  time_zone as "timeZone", consent_required as "consentRequired", consent_collection as "consentCollection",
  quiet_hours as "quietHours", texting_pace as "textingPace", carrier_id::integer as "carrierId", campaign, disabled,
  date_time_created as "dateTimeCreated"`;

/** The new advisor, or null if another one has the email or the texting number. */
export async function insertAdvisor(db: Db, advisor: NewAdvisor, now: Date): Promise<AdvisorRow | null> {
  return db.find<AdvisorRow>(
    `insert into advisors (
       firm_id, name, email, texting_number, time_zone, consent_required, consent_collection, quiet_hours,
       texting_pace, carrier_id, campaign, disabled, password_hash, date_time_created
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict do nothing
     returning ${columns}`,
    [
      advisor.firmId,
      advisor.name,
      advisor.email,
      advisor.textingNumber,
      advisor.timeZone,
      advisor.consentRequired,
      advisor.consentCollection,
      advisor.quietHours,
      advisor.textingPace,
      advisor.carrierId,
      advisor.campaign,
      advisor.disabled,
      advisor.passwordHash,
      now,
    ],
  );
}

/** False if another advisor has the email or the texting number. */
export async function updateAdvisor(
  db: Db,
  advisorId: number,
  change: Partial<AdvisorSettings & { passwordHash: string }>,
): Promise<boolean> {
  const given = Object.entries(change) as [keyof typeof settingColumns, unknown][];
  if (given.length === 0) return true;
  const update = db.query(
    `update advisors
     set ${given.map(([name], index) => `${settingColumns[name]} = $${index + 2}`).join(', ')}
     where advisor_id = $1`,
    [advisorId, ...given.map(([, value]) => value)],
  );
  return update.then(() => true).catch(falseIfTaken);
}

export async function findAdvisor(db: Db, idOrEmail: string): Promise<AdvisorRow | null> {
  return db.find<AdvisorRow>(
    `select ${columns}
     from advisors
     where advisor_id::text = $1 or lower(email) = lower($1)`,
    [idOrEmail],
  );
}

export async function findAccount(db: Db, advisorId: number): Promise<(AdvisorRow & { firmName: string }) | null> {
  const [row] = await db.lookUp<AdvisorRow & { firmName: string }>(
    `select ${columns}, (select f.name from firms f where f.firm_id = advisors.firm_id) as "firmName"
     from advisors
     where advisor_id = $1`,
    [advisorId],
    'find-account',
  );
  return row ?? null;
}

/** Locked, so that a change knows the values before it. */
export async function findAdvisorForUpdate(db: Db, advisorId: number): Promise<AdvisorRow | null> {
  return db.find<AdvisorRow>(
    `select ${columns}
     from advisors
     where advisor_id = $1
     for no key update`,
    [advisorId],
  );
}

export async function findAdvisorByTextingNumber(db: Db, textingNumber: string): Promise<AdvisorRow | null> {
  return db.find<AdvisorRow>(
    `select ${columns}
     from advisors
     where texting_number = $1`,
    [textingNumber],
    'find-advisor-by-texting-number',
  );
}

/** The advisors who know the number, the oldest account first. Spans advisors: the question is who knows the number. */
export async function listAdvisorsKnowing(db: Db, phone: string): Promise<AdvisorRow[]> {
  return db.query<AdvisorRow>(
    `select ${columns}
     from advisors
     where exists (
       select
       from members m
       where m.advisor_id = advisors.advisor_id and m.phone = $1
     )
     order by advisor_id`,
    [phone],
  );
}

/** Of one firm, if it is given. */
export async function listAdvisors(db: Db, firmId: number | null = null): Promise<AdvisorRow[]> {
  return db.query<AdvisorRow>(
    `select ${columns}
     from advisors
     where $1::bigint is null or firm_id = $1
     order by advisor_id`,
    [firmId],
  );
}
