import * as savedReplies from '../../../domain/conversations/saved-replies.ts';
import { SavedReplyParams, SavedReplyRequest } from '../../../schemas/conversations/saved-replies.ts';
import { endpoint } from '../../door/route.ts';

export const list = endpoint({
  handler: async (deps, advisorId) => ({ data: await savedReplies.listSavedReplies(deps, advisorId) }),
});

export const create = endpoint({
  body: SavedReplyRequest,
  handler: async (deps, advisorId, { body }) => ({ id: await savedReplies.createSavedReply(deps, advisorId, body) }),
});

export const update = endpoint({
  params: SavedReplyParams,
  body: SavedReplyRequest,
  handler: (deps, advisorId, { params, body }) =>
    savedReplies.updateSavedReply(deps, advisorId, params.savedReplyId, body),
});

export const remove = endpoint({
  params: SavedReplyParams,
  handler: (deps, advisorId, { params }) => savedReplies.deleteSavedReply(deps, advisorId, params.savedReplyId),
});
