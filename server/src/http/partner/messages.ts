import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import * as messages from '../../domain/messages/messages.ts';
import type { MessageParams, MessageRequest, MessageResult, MessageStatus } from '../../schemas/messages/messages.ts';
import { withDetails } from './failures.ts';

export async function send(deps: Deps, advisorId: number, { body }: { body: Static<typeof MessageRequest> }, by: By) {
  const result: Static<typeof MessageResult> = withDetails(await messages.sendMessage(deps, advisorId, body, by));
  return result;
}

export async function get(deps: Deps, advisorId: number, { params }: { params: Static<typeof MessageParams> }) {
  return status(await messages.getMessage(deps, advisorId, params.messageId));
}

function status(message: messages.Message): Static<typeof MessageStatus> {
  return {
    ...message,
    dateTimeCreated: message.dateTimeCreated.toISOString(),
    dateTimeSent: message.dateTimeSent?.toISOString() ?? null,
    dateTimeDelivered: message.dateTimeDelivered?.toISOString() ?? null,
  };
}
