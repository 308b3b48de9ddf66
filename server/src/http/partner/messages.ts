import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import { checkMessage } from '../../domain/messages/message-checks.ts';
import * as messages from '../../domain/messages/messages.ts';
import type { MessageCheckResult } from '../../schemas/messages/message-checks.ts';
import type {
  MessageParams,
  MessageQuery,
  MessageRequest,
  MessageResult,
  MessageStatus,
} from '../../schemas/messages/messages.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { withDetails } from './failures.ts';

export async function send(deps: Deps, advisorId: number, { body }: { body: Static<typeof MessageRequest> }, by: By) {
  const result: Static<typeof MessageResult> = withDetails(await messages.sendMessage(deps, advisorId, body, by));
  return result;
}

export async function check(
  deps: Deps,
  advisorId: number,
  { body }: { body: Static<typeof MessageRequest> },
  by: By,
): Promise<Static<typeof MessageCheckResult>> {
  const checks = await checkMessage(deps, advisorId, body, by);
  return { data: checks.map(({ earliest, ...each }) => ({ ...each, earliest: earliest?.getTime() ?? null })) };
}

export async function get(deps: Deps, advisorId: number, { params }: { params: Static<typeof MessageParams> }) {
  return status(await messages.getMessage(deps, advisorId, params.messageId));
}

export async function list(deps: Deps, advisorId: number, { query }: { query: Static<typeof MessageQuery> }) {
  const { createdSince, sortBy: _, sortDirection: __, ...rest } = query;
  const since = createdSince === undefined ? {} : { createdSince: instantOf(createdSince) };
  const { data, pageInfo } = await messages.listMessages(deps, advisorId, { ...rest, ...since });
  return { data: data.map(status), pageInfo };
}

function status(message: messages.Message): Static<typeof MessageStatus> {
  return {
    ...message,
    dateTimeCreated: message.dateTimeCreated.toISOString(),
    dateTimeSent: message.dateTimeSent?.toISOString() ?? null,
    dateTimeDelivered: message.dateTimeDelivered?.toISOString() ?? null,
  };
}
