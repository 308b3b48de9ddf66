import type { Frequency } from '../../store/messages/scheduled-messages.ts';
import { invalid } from '../problems.ts';
import { dayMs } from '../shared/time.ts';

/** The body of a send. */
export type MessageInput = {
  text: string;
  phone?: string;
  phoneNumbers?: string[];
  scheduleDelivery?: boolean;
  deliveryDate?: number;
  frequency?: Frequency;
  whenConsented?: boolean;
};

/** What it asks for: a text to each number once, now or on a schedule. */
export type ReadMessage = {
  phones: string[];
  text: string;
  schedule: { firstDate: Date; frequency: Frequency } | null;
  /** People who haven't consented are asked, and their texts wait for the response. */
  whenConsented: boolean;
};

const daysAheadMax = 731;
/** A smaller delivery date is in seconds: in milliseconds it would be before 1973. */
const millisecondsMin = 1e11;

export function readMessage(now: Date, input: MessageInput): ReadMessage {
  const phones = [...new Set([input.phone, ...(input.phoneNumbers ?? [])].filter((phone) => phone !== undefined))];
  if (phones.length === 0)
    throw invalid([{ path: '/phone', rule: 'required', message: 'phone or phoneNumbers is required.' }]);
  requireScheduleDelivery(input);
  const { text, scheduleDelivery = false, whenConsented = false } = input;
  if (scheduleDelivery && whenConsented) throw bothWaits();
  return { phones, text, schedule: scheduleDelivery ? scheduleOf(now, input) : null, whenConsented };
}

/** A delivery date in epoch milliseconds or seconds, if it is one that a text can be scheduled for. */
export function readDeliveryDate(now: Date, deliveryDate: number): Date {
  const atMs = Math.trunc(deliveryDate < millisecondsMin ? deliveryDate * 1000 : deliveryDate);
  if (atMs <= now.getTime())
    throw badDate('future', `must be in the future, in epoch milliseconds: it is ${now.toISOString()} now`);
  if (atMs > now.getTime() + daysAheadMax * dayMs)
    throw badDate('daysAhead', `must be at most ${daysAheadMax} days ahead, in epoch milliseconds`);
  return new Date(atMs);
}

/** A forgotten flag must not text somebody today. */
function requireScheduleDelivery({ scheduleDelivery, deliveryDate, frequency }: MessageInput): void {
  if (scheduleDelivery !== undefined) return;
  const given = { deliveryDate, ...(frequency ? { frequency } : {}) };
  const broken = Object.entries(given).flatMap(([field, value]) =>
    value === undefined ? [] : { path: `/${field}`, rule: 'scheduleDelivery', message: needsFlag(field) },
  );
  if (broken.length > 0) throw invalid(broken);
}

function needsFlag(field: string): string {
  return `${field} needs scheduleDelivery: set it to true to schedule the text, or to false to send it at once.`;
}

function scheduleOf(now: Date, { deliveryDate, frequency = 0 }: MessageInput): ReadMessage['schedule'] {
  if (deliveryDate === undefined) throw badDate('required', 'is required when scheduleDelivery is true');
  return { firstDate: readDeliveryDate(now, deliveryDate), frequency };
}

function bothWaits() {
  const message = 'whenConsented can’t be true for a scheduled text: leave it out, or leave out scheduleDelivery.';
  return invalid([{ path: '/whenConsented', rule: 'scheduleDelivery', message }]);
}

function badDate(rule: string, what: string) {
  return invalid([{ path: '/deliveryDate', rule, message: `deliveryDate ${what}.` }]);
}
