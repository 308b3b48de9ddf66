import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type Deps, onReserved, type Reserved } from '../../deps.ts';
import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { type HandsetMessage, listHandsetMessages, replyFromHandset } from '../../sandbox/handsets.ts';
import { Phone } from '../../schemas/shared/strings.ts';
import { valid, validator } from '../../schemas/shared/validate.ts';
import { parseBody, type RawBody } from '../door/body.ts';

const validateParams = validator(Type.Object({ phone: Phone() }));
const validateReply = validator(
  Type.Object({ to: Phone(), text: Type.String({ minLength: 1, maxLength: textLengthMax }) }),
);

/** The sandbox's phones: the texts that each received, and replies from it. */
export function addHandsets(app: FastifyInstance, deps: Deps & Reserved): void {
  const hide = { schema: { hide: true } };

  app.get('/sandbox/handset/:phone/messages', hide, async (request) => {
    const { phone } = valid(validateParams(request.params));
    return { data: (await listHandsetMessages(deps, phone)).map(present) };
  });

  app.post('/sandbox/handset/:phone/replies', hide, async (request, answer) => {
    const { phone } = valid(validateParams(request.params));
    const reply = valid(validateReply(parseBody(request.body as RawBody, request.headers)));
    await replyFromHandset(onReserved(deps), phone, reply);
    return answer.code(202).send({});
  });
}

function present({ phone, textingNumber, text, dateTimeCreated }: HandsetMessage) {
  return { from: textingNumber, to: phone, text, dateTime: dateTimeCreated.toISOString() };
}
