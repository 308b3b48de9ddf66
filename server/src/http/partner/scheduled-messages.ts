import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import { cancelScheduled, listScheduled, type ScheduledMessage } from '../../domain/messages/scheduled-messages.ts';
import type {
  ScheduledMessageParams,
  ScheduledMessageQuery,
  ScheduledMessage as Shape,
} from '../../schemas/messages/scheduled-messages.ts';

export async function list(deps: Deps, advisorId: number, { query }: { query: Static<typeof ScheduledMessageQuery> }) {
  const { data, pageInfo } = await listScheduled(deps, advisorId, query);
  return { data: data.map(shown), pageInfo };
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
