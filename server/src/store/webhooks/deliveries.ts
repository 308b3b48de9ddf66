import type { Db } from '../database/db.ts';

/** One attempt to tell an endpoint about an event. */
export type NewDelivery = {
  webhookId: number;
  url: string;
  /** Null for a test. */
  advisorId: number | null;
  eventId: string;
  type: string;
  body: string;
  signature: string;
  attempt: number;
  /** Of the response; null if none came. */
  status: number | null;
  /** The beginning of the response, or why none came. */
  response: string;
  durationMs: number;
  dateTime: Date;
};
export type DeliveryRow = NewDelivery & { deliveryId: number };

export async function insertDeliveries(db: Db, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.write(
    `insert into webhook_deliveries (
       webhook_id, url, advisor_id, event_id, type, body, signature, attempt, status, response, duration_ms, date_time
     )
     select
       "webhookId", url, "advisorId", "eventId", type, body, signature, attempt, status, response, "durationMs",
       "dateTime"
     from json_to_recordset($1) as (
       "webhookId" bigint, url text, "advisorId" bigint, "eventId" text, type text, body text, signature text,
       attempt integer, status smallint, response text, "durationMs" integer, "dateTime" timestamptz
     )`,
    [JSON.stringify(deliveries)],
    'insert-deliveries',
  );
}

const columns = `
  delivery_id as "deliveryId", webhook_id as "webhookId", url, advisor_id as "advisorId", event_id as "eventId",
  type, body, signature, attempt, status, response, duration_ms as "durationMs", date_time as "dateTime"`;

/** Those that a filter names; by default all. */
export type DeliveryFilter = {
  webhookIds?: number[];
  url?: string;
  type?: string;
  eventId?: string;
  limit: number;
};

/** The latest ones, the last one first. */
export async function listDeliveries(
  db: Db,
  { webhookIds, url, type, eventId, limit }: DeliveryFilter,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select ${columns}
     from webhook_deliveries
     where ($1::bigint[] is null or webhook_id = any ($1))
       and ($2::text is null or url = $2)
       and ($3::text is null or type = $3)
       and ($4::text is null or event_id = $4)
     order by delivery_id desc
     limit $5`,
    [webhookIds ?? null, url ?? null, type ?? null, eventId ?? null, limit],
  );
}

/** The first ones after a number, in order. One that is committed late may have a smaller number than one that was seen. */
export async function listDeliveriesAfter(
  db: Db,
  webhookId: number,
  { after, limit }: { after: number; limit: number },
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select ${columns}
     from webhook_deliveries
     where webhook_id = $1 and delivery_id > $2
     order by delivery_id
     limit $3`,
    [webhookId, after, limit],
  );
}
