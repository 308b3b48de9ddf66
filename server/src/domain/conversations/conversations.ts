import { type Deps, inTransaction } from '../../deps.ts';
import type { ConversationRow, View } from '../../store/conversations/conversations.ts';
import * as store from '../../store/conversations/conversations.ts';
import { insertEvents } from '../../store/events/new-events.ts';
import type { TextKind } from '../../store/texting/texts.ts';
import { problem } from '../problems.ts';
import { cursorOf, cutTo, placeIn } from '../shared/paging.ts';
import { zonesOf } from '../texting/quiet-hours.ts';

export type { View } from '../../store/conversations/conversations.ts';
export const views: readonly View[] = ['inbox', 'unread', 'snoozed', 'done'];

/** What a text is for, in an advisor's words. */
const shownKinds = ['text', 'consent_request', 'reminder', 'confirmation', 'help'] as const;
export type ShownKind = (typeof shownKinds)[number];

/** A conversation with a person, as the advisor's app lists it. */
export type Conversation = ReturnType<typeof conversationOf>;

/** A part of a list, and where to go on. */
export type Part<Item> = { data: Item[]; cursor: string | null };

const pageSize = 50;
/** As long as a text may be, and more: a draft is no text yet. */
export const draftLengthMax = 5_000;

export async function listConversations(
  deps: Deps,
  advisorId: number,
  { view, before }: { view: View; before?: string | undefined },
): Promise<Part<Conversation>> {
  const after = before === undefined ? null : placeIn('before', before, ['memberId']);
  const asked = { view, now: deps.clock.now(), after, limit: pageSize + 1 };
  const { page, last } = cutTo(pageSize, await store.listConversations(deps.db, advisorId, asked));
  const cursor = last?.dateTime ? cursorOf(last.dateTime, last.memberId) : null;
  return { data: page.map(conversationOf), cursor };
}

/** With the number's time zone, if it can be in only one: what time it is for the person. */
export async function getConversation(deps: Deps, advisorId: number, memberId: number) {
  const row = await store.findConversation(deps.db, advisorId, { memberId }, deps.clock.now());
  if (!row) throw unknown();
  const [zone = null, ...others] = zonesOf(row.phone, null);
  return { ...conversationOf(row), timeZone: others.length === 0 ? zone : null };
}

export async function findConversation(deps: Deps, advisorId: number, phone: string): Promise<Conversation | null> {
  const row = await store.findConversation(deps.db, advisorId, { phone }, deps.clock.now());
  return row && conversationOf(row);
}

/** Everything up to this reply. */
export async function markRead(deps: Deps, advisorId: number, memberId: number, readReplyId: number): Promise<void> {
  await change(deps, advisorId, memberId, { readReplyId });
}

/** A conversation that is done comes back with the next text. */
export async function setDone(deps: Deps, advisorId: number, memberId: number, isDone: boolean): Promise<void> {
  await change(deps, advisorId, memberId, { doneAt: isDone ? deps.clock.now() : null, snoozed: null });
}

/** Out of the inbox until then, or until the person writes; null ends it. */
export async function snooze(deps: Deps, advisorId: number, memberId: number, until: Date | null): Promise<void> {
  const at = deps.clock.now();
  await change(deps, advisorId, memberId, { snoozed: until && { at, until }, doneAt: null });
}

/** What the advisor has typed and not sent. It is theirs alone: nothing is archived before it is sent. */
export async function saveDraft(deps: Deps, advisorId: number, memberId: number, text: string): Promise<void> {
  await change(deps, advisorId, memberId, { draft: text === '' ? null : text });
}

/** With an event for the advisor's other browsers, which partners never see. */
async function change(
  deps: Deps,
  advisorId: number,
  memberId: number,
  changed: store.ConversationChange,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    if (!(await store.updateConversation(deps.db, advisorId, memberId, changed))) throw unknown();
    await insertEvents(deps.db, [{ advisorId, type: 'conversation.changed', memberId }], deps.clock.now());
  });
}

function conversationOf(row: ConversationRow) {
  const { dateTime: _, shownTime: dateTime, direction, kind, status, text, heldSince, ...rest } = row;
  const last = dateTime && direction ? { direction, kind: shownKind(kind ?? 'text'), text, status, dateTime } : null;
  return { ...rest, isHeld: heldSince !== null, last };
}

export function shownKind(kind: TextKind): ShownKind {
  return kind === 'opt_in' || kind === 'opt_out' ? 'confirmation' : kind;
}

function unknown() {
  return problem('not_found', 'There is no such conversation on the advisor’s account.');
}
