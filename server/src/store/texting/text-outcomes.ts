/** What became of a text, as a statement has just recorded it. */
export type TextOutcome = {
  advisorId: number;
  messageId: number;
  memberId: number;
  /** The number of the text's own entry. */
  archiveNumber: number;
  /** `sent` only if it was in doubt before. */
  status: 'sent' | 'delivered' | 'undelivered' | 'failed' | 'in_doubt';
  reason: string | null;
  attempt: number;
  carrierMessageId: string | null;
  /** Whose word it is. */
  actor: 'carrier' | 'service';
};

/** For the `returning` of an update of messages. */
export function outcomeColumns(actor: TextOutcome['actor']): string {
  return `
    messages.advisor_id as "advisorId", messages.message_id as "messageId", messages.member_id as "memberId",
    messages.archive_number as "archiveNumber", messages.status, messages.failure_code as reason, messages.attempt,
    messages.carrier_message_id as "carrierMessageId", '${actor}' as actor`;
}
