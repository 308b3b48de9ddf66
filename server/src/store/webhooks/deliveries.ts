import type { Db } from '../database/db.ts';

/** One attempt to tell an application about an event. */
export type NewDelivery = {
  applicationId: number;
  /** Null for a test. */
  advisorId: number | null;
  eventId: string;
  type: string;
  body: string;
  attempt: number;
  /** Of the answer; null if none came. */
  status: number | null;
  /** The beginning of the answer, or why none came. */
  answer: string;
  durationMs: number;
  dateTime: Date;
};
export type DeliveryRow = NewDelivery & { deliveryId: number };

export async function insertDeliveries(db: Db, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.write(
    `insert into webhook_deliveries (
       application_id, advisor_id, event_id, type, body, attempt, status, answer, duration_ms, date_time
     )
     select "applicationId", "advisorId", "eventId", type, body, attempt, status, answer, "durationMs", "dateTime"
     from json_to_recordset($1) as (
       "applicationId" bigint, "advisorId" bigint, "eventId" text, type text, body text, attempt integer,
       status smallint, answer text, "durationMs" integer, "dateTime" timestamptz
     )`,
    [JSON.stringify(deliveries)],
    'insert-deliveries',
  );
}

export async function listDeliveries(
  db: Db,
  applicationId: number,
  { limit, eventId = null }: { limit: number; eventId?: string | null },
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select
       delivery_id as "deliveryId", application_id as "applicationId", advisor_id as "advisorId", event_id as "eventId",
       type, body, attempt, status, answer, duration_ms as "durationMs", date_time as "dateTime"
     from webhook_deliveries
     where application_id = $1 and ($3::text is null or event_id = $3)
     order by delivery_id desc
     limit $2`,
    [applicationId, limit, eventId],
  );
}
