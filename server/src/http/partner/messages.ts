import type { Static } from 'typebox';
import { accountCodes, checkMessage, type GateResult, gateNames } from '../../domain/messages/message-checks.ts';
import * as messages from '../../domain/messages/messages.ts';
import { acceptedStatuses } from '../../domain/messages/sends.ts';
import { refusalCodes } from '../../domain/texting/failures.ts';
import {
  MessagePage,
  MessageParams,
  MessageQuery,
  MessageRequest,
  MessageResult,
  MessageStatus,
} from '../../schemas/messages/messages.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { isToMany } from '../door/long-work.ts';
import { endpoint } from '../door/route.ts';
import { anySucceeded, nothingDone, withDetails } from './present.ts';

const codes = [...refusalCodes, ...messages.heldReasons, ...accountCodes];
const nullable = <Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value | null>({ type: ['string', 'null'], enum: [...values, null] });

const Gate = Type.Object(
  {
    gate: Type.Unsafe<GateResult['gate']>({ type: 'string', enum: gateNames }),
    passed: Type.Boolean(),
    code: nullable(codes),
    message: Type.Union([Type.String(), Type.Null()], { description: 'What is wrong and what to do.' }),
  },
  {
    title: 'Gate',
    description:
      '`code` and `message` are null if it passed. With `possible_opt_out` or `supervision` it only holds the text: if no other gate failed, `deliverable` is true and `status` is `held`.',
  },
);

const passed = { passed: true, code: null, message: null };

const MessageCheckResult = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          phone: Type.String({ description: 'In E.164.' }),
          memberId: Type.Union([Id(), Type.Null()], { description: 'Null if the number is not known yet.' }),
          deliverable: Type.Boolean({ description: 'Whether a send now would be a success for this recipient.' }),
          status: Type.Unsafe<(typeof acceptedStatuses)[number] | null>({
            type: ['string', 'null'],
            enum: [...acceptedStatuses, null],
            description: 'The status that the success would have; null if it would be a failure.',
          }),
          gates: Type.Array(Gate, { description: 'Each judged by itself, in this order.' }),
          earliest: Type.Union([Type.Number(), Type.Null()], {
            description:
              'When the text would go out, in epoch milliseconds: now, after quiet hours, or at `deliveryDate`. Null if that takes more than time.',
          }),
        },
        { title: 'Message check' },
      ),
      { description: 'One for each recipient, in the order given.' },
    ),
  },
  {
    title: 'Message check result',
    examples: [
      {
        data: [
          {
            phone: '+15005550006',
            memberId: 500004,
            deliverable: true,
            status: 'queued',
            gates: gateNames.map((gate) => ({ gate, ...passed })),
            earliest: 1772384700000,
          },
        ],
      },
    ],
  },
);

export const send = endpoint({
  summary: 'Send message',
  description:
    'Sends or schedules a text, with an outcome for each recipient. An unknown number becomes a contact; an existing contact is never changed.',
  body: MessageRequest,
  response: MessageResult,
  problems: ['conflict'],
  isLong: isToMany,
  together: true,
  tookEffect: anySucceeded,
  async handler(deps, advisorId, { body }, by): Promise<Static<typeof MessageResult>> {
    return withDetails(await messages.sendMessage(deps, advisorId, body, by));
  },
});

export const list = endpoint({
  summary: 'List messages',
  description:
    'The status of the advisor’s texts, newest first; filters are combined. Consent requests and confirmations are not among them.',
  query: MessageQuery,
  response: MessagePage,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { createdSince, sortBy: _, sortDirection: __, ...rest } = query;
    const since = createdSince === undefined ? {} : { createdSince: instantOf(createdSince) };
    const { data, pageInfo } = await messages.listMessages(deps, advisorId, { ...rest, ...since });
    return { data: data.map(status), pageInfo };
  },
});

export const check = endpoint({
  summary: 'Check message',
  description:
    'What a send with this body would do for each recipient, and why. Nothing is done: no contact is created, and an `Idempotency-Key` is not spent.',
  body: MessageRequest,
  response: MessageCheckResult,
  problems: [],
  isLong: isToMany,
  tookEffect: nothingDone,
  async handler(deps, advisorId, { body }, by): Promise<Static<typeof MessageCheckResult>> {
    const checks = await checkMessage(deps, advisorId, body, by);
    return { data: checks.map(({ earliest, ...each }) => ({ ...each, earliest: earliest?.getTime() ?? null })) };
  },
});

export const get = endpoint({
  summary: 'Get message status',
  params: MessageParams,
  response: MessageStatus,
  problems: ['not_found'],
  handler: async (deps, advisorId, { params }) => status(await messages.getMessage(deps, advisorId, params.messageId)),
});

function status(message: messages.Message): Static<typeof MessageStatus> {
  return {
    ...message,
    dateTimeCreated: message.dateTimeCreated.toISOString(),
    dateTimeSent: message.dateTimeSent?.toISOString() ?? null,
    dateTimeDelivered: message.dateTimeDelivered?.toISOString() ?? null,
  };
}
