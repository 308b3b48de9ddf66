import { type Deps, inTransaction } from '../../deps.ts';
import { findAccount } from '../../store/accounts/advisors.ts';
import type { Frequency, ScheduledMessageRow } from '../../store/messages/scheduled-messages.ts';
import * as store from '../../store/messages/scheduled-messages.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import type { By } from '../archive/archive.ts';
import { invalid } from '../problems.ts';
import { acceptDrafts, draftFor } from '../texting/drafts.ts';
import { type Failure, failure } from '../texting/failures.ts';
import type { RefusalCode } from '../texting/gate.ts';
import { knownRecipient } from '../texting/recipients.ts';
import { textingProblem } from '../texting/texts.ts';
import { readDeliveryDate } from './message-input.ts';
import { archiveChange } from './scheduled-message-entries.ts';
import { getScheduled, notScheduled, type ScheduledMessage } from './scheduled-messages.ts';

/** Fields to change; one that is left out stays as it is. */
export type ScheduledMessageChange = { text?: string; deliveryDate?: number; frequency?: Frequency };

type Act = { advisorId: number; by: By };

/** The field that a refusal is about, where it is one of the change. */
const fields: Partial<Record<RefusalCode, string>> = { text_blocked: 'text', quiet_hours: 'deliveryDate' };

/**
 * Changes a message that is still scheduled, through the checks of a send. One that is being sent at the same moment is waited
 * for: then the change counts for its next date, or it is a 404.
 */
export async function editScheduled(
  deps: Deps,
  advisorId: number,
  scheduledMessageId: number,
  { deliveryDate, ...change }: ScheduledMessageChange,
  by: By,
): Promise<ScheduledMessage> {
  const date = deliveryDate === undefined ? {} : { deliveryDate: readDeliveryDate(deps.clock.now(), deliveryDate) };
  const account = await findAccount(deps.db, advisorId);
  const cannotText = textingProblem(account ? [account] : []);
  if (cannotText) throw cannotText;
  const result = await inTransaction(deps, async (deps) => {
    const before = await store.lockScheduledMessage(deps.db, advisorId, scheduledMessageId);
    if (!before)
      throw await notScheduled(deps, advisorId, scheduledMessageId, 'it can’t be changed. Schedule a new one.');
    const after = edited(before, { ...change, ...date }, account?.timeZone ?? before.timeZone);
    // A change that changes nothing is no event.
    const refused = after === before ? null : await edit(deps, { advisorId, by }, after);
    return refused ? { refused } : getScheduled(deps, advisorId, scheduledMessageId);
  });
  if (!('refused' in result)) return result;
  // Thrown after the commit: a blocked text is archived, as it is when it is sent.
  const { code, message } = result.refused;
  throw invalid([{ path: `/${fields[code] ?? 'scheduledMessageId'}`, rule: code, message }]);
}

/** The message with the change, or the same one if that makes no difference. From another date on, it repeats by that one. */
function edited(
  before: ScheduledMessageRow,
  change: Partial<Pick<ScheduledMessageRow, 'text' | 'deliveryDate' | 'frequency'>>,
  timeZone: string,
): ScheduledMessageRow {
  const after = { ...before, ...change };
  const isMoved =
    after.deliveryDate.getTime() !== before.deliveryDate.getTime() || after.frequency !== before.frequency;
  if (isMoved) return { ...after, firstDate: after.deliveryDate, timeZone };
  return after.text === before.text ? before : after;
}

/** Makes the change and archives it; returns why not if the text couldn't be scheduled like this now. */
async function edit(deps: Deps, { advisorId, by }: Act, after: ScheduledMessageRow): Promise<Failure | null> {
  const { phone, text, deliveryDate, scheduledMessageId } = after;
  const to = knownRecipient((await listRecipients(deps.db, [{ advisorId, phone }]))[0]);
  const finding = (await deps.screeners.of(deps.db, [to.firmId])).get(to.firmId)?.(text) ?? null;
  const drafted = draftFor(deps, to, { advisorId, kind: 'text', text, by, finding, scheduledMessageId }, deliveryDate);
  if ('refused' in drafted) {
    await acceptDrafts(deps, [], { messageIds: [], blocked: drafted.blocked ? [drafted.blocked] : [], others: [] });
    return failure(phone, to.memberId, drafted.refused, { ...to, isScheduled: true });
  }
  await store.updateScheduledMessage(deps.db, advisorId, { ...after, ...by });
  await archiveChange(deps, by, 'edited', advisorId, after);
  return null;
}
