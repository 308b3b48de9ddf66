import { accountCodes, type GateResult, gateNames } from '../../domain/messages/message-checks.ts';
import { heldReasons } from '../../domain/messages/messages.ts';
import { acceptedStatuses } from '../../domain/messages/sends.ts';
import { refusalCodes } from '../../domain/texting/failures.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const codes = [...refusalCodes, ...heldReasons, ...accountCodes];
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

export const MessageCheckResult = Type.Object(
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
