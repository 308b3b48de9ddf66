import { listConsentEvidence } from '../../../domain/conversations/consent-evidence.ts';
import type { Item } from '../../../domain/conversations/conversation-items.ts';
import * as items from '../../../domain/conversations/conversation-items.ts';
import type { Conversation } from '../../../domain/conversations/conversations.ts';
import * as conversations from '../../../domain/conversations/conversations.ts';
import {
  ConversationParams,
  ConversationQuery,
  DoneRequest,
  DraftRequest,
  ItemQuery,
  ReadRequest,
  SearchQuery,
  SnoozeRequest,
} from '../../../schemas/conversations/conversations.ts';
import { endpoint } from '../../door/route.ts';

export const list = endpoint({
  query: ConversationQuery,
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { view = 'inbox', before, phone } = query;
    if (phone !== undefined) {
      const found = await conversations.findConversation(deps, advisorId, phone);
      return { data: found ? [shown(found)] : [], cursor: null };
    }
    const { data, cursor } = await conversations.listConversations(deps, advisorId, { view, before });
    return { data: data.map(shown), cursor };
  },
});

export const get = endpoint({
  params: ConversationParams,
  handler: async (deps, advisorId, { params }) =>
    shown(await conversations.getConversation(deps, advisorId, params.memberId)),
});

export const listItems = endpoint({
  params: ConversationParams,
  query: ItemQuery,
  cost: 2,
  async handler(deps, advisorId, { params, query }) {
    const { data, cursor } = await items.listItems(deps, advisorId, params.memberId, query);
    return { data: data.map(shownItem), cursor };
  },
});

export const listEvidence = endpoint({
  params: ConversationParams,
  handler: async (deps, advisorId, { params }) => ({
    data: await listConsentEvidence(deps, advisorId, params.memberId),
  }),
});

export const read = endpoint({
  params: ConversationParams,
  body: ReadRequest,
  handler: (deps, advisorId, { params, body }) => conversations.markRead(deps, advisorId, params.memberId, body.upTo),
});

export const done = endpoint({
  params: ConversationParams,
  body: DoneRequest,
  handler: (deps, advisorId, { params, body }) => conversations.setDone(deps, advisorId, params.memberId, body.done),
});

export const snooze = endpoint({
  params: ConversationParams,
  body: SnoozeRequest,
  handler: (deps, advisorId, { params, body }) =>
    conversations.snooze(deps, advisorId, params.memberId, body.until === null ? null : new Date(body.until)),
});

export const draft = endpoint({
  params: ConversationParams,
  body: DraftRequest,
  handler: (deps, advisorId, { params, body }) => conversations.saveDraft(deps, advisorId, params.memberId, body.text),
});

export const search = endpoint({
  query: SearchQuery,
  cost: 4,
  async handler(deps, advisorId, { query }) {
    const { people, texts } = await items.searchConversations(deps, advisorId, query.text);
    return {
      people: people.map(({ contactId, fullName, phone, texting }) => ({
        contactId,
        name: fullName,
        phone,
        state: texting?.state ?? 'none',
        isHeld: texting?.isHeld ?? false,
      })),
      texts: texts.map(({ id, ...rest }) => ({
        ...rest,
        itemId: id === null ? null : `${rest.direction === 'in' ? 'r' : 'm'}${id}`,
      })),
    };
  },
});

function shown<Row extends Conversation>({ isDone, ...rest }: Row) {
  return { ...rest, done: isDone };
}

function shownItem(item: Item) {
  if (item.type !== 'reply') return item;
  return {
    ...item,
    media: item.media.map(({ replyNumber, place, ...rest }) => ({
      ...rest,
      url: `/app/api/media/${replyNumber}/${place}`,
    })),
  };
}
