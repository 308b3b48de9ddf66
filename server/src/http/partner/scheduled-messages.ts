import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import { editScheduled } from '../../domain/messages/scheduled-message-edits.ts';
import {
  cancelScheduled,
  getScheduled,
  listScheduled,
  type ScheduledMessage,
} from '../../domain/messages/scheduled-messages.ts';
import type {
  ScheduledMessageChange,
  ScheduledMessageParams,
  ScheduledMessageQuery,
  ScheduledMessage as Shape,
} from '../../schemas/messages/scheduled-messages.ts';

export async function list(deps: Deps, advisorId: number, { query }: { query: Static<typeof ScheduledMessageQuery> }) {
  const { data, pageInfo } = await listScheduled(deps, advisorId, query);
  return { data: data.map(shown), pageInfo };
}

export async function get(
  deps: Deps,
  advisorId: number,
  { params }: { params: Static<typeof ScheduledMessageParams> },
) {
  return shown(await getScheduled(deps, advisorId, params.scheduledMessageId));
}

export async function update(
  deps: Deps,
  advisorId: number,
  { params, body }: { params: Static<typeof ScheduledMessageParams>; body: Static<typeof ScheduledMessageChange> },
  by: By,
) {
  return shown(await editScheduled(deps, advisorId, params.scheduledMessageId, body, by));
}

export async function cancel(
  deps: Deps,
  advisorId: number,
  { params }: { params: Static<typeof ScheduledMessageParams> },
  by: By,
) {
  await cancelScheduled(deps, advisorId, params.scheduledMessageId, by);
}

function shown(scheduled: ScheduledMessage): Static<typeof Shape> {
  return {
    ...scheduled,
    deliveryDate: scheduled.deliveryDate.getTime(),
    nextDeliveryDates: scheduled.nextDeliveryDates.map((date) => date.getTime()),
  };
}
