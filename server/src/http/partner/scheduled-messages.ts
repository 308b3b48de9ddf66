import type { Static } from 'typebox';
import { editScheduled } from '../../domain/messages/scheduled-message-edits.ts';
import * as scheduled from '../../domain/messages/scheduled-messages.ts';
import {
  ScheduledMessage,
  ScheduledMessageChange,
  ScheduledMessagePage,
  ScheduledMessageParams,
  ScheduledMessageQuery,
} from '../../schemas/messages/scheduled-messages.ts';
import { endpoint } from '../door/route.ts';

export const list = endpoint({
  summary: 'List scheduled messages',
  query: ScheduledMessageQuery,
  response: ScheduledMessagePage,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { data, pageInfo } = await scheduled.listScheduled(deps, advisorId, query);
    return { data: data.map(shown), pageInfo };
  },
});

export const get = endpoint({
  summary: 'Get scheduled message',
  description: 'In any status: still scheduled, or what became of it.',
  params: ScheduledMessageParams,
  response: ScheduledMessage,
  problems: ['not_found'],
  async handler(deps, advisorId, { params }) {
    return shown(await scheduled.getScheduled(deps, advisorId, params.scheduledMessageId));
  },
});

export const update = endpoint({
  summary: 'Update scheduled message',
  description:
    'Changes the text, the date or the frequency of a message that is still scheduled, through the same checks as a send. If the person can’t be texted, it is a 400 with the failure’s code as `rule`.',
  params: ScheduledMessageParams,
  body: ScheduledMessageChange,
  response: ScheduledMessage,
  problems: ['conflict', 'not_found'],
  async handler(deps, advisorId, { params, body }, by) {
    return shown(await editScheduled(deps, advisorId, params.scheduledMessageId, body, by));
  },
});

export const cancel = endpoint({
  summary: 'Cancel scheduled message',
  params: ScheduledMessageParams,
  problems: ['not_found'],
  async handler(deps, advisorId, { params }, by) {
    await scheduled.cancelScheduled(deps, advisorId, params.scheduledMessageId, by);
  },
});

function shown(message: scheduled.ScheduledMessage): Static<typeof ScheduledMessage> {
  return {
    ...message,
    deliveryDate: message.deliveryDate.getTime(),
    nextDeliveryDates: message.nextDeliveryDates.map((date) => date.getTime()),
  };
}
