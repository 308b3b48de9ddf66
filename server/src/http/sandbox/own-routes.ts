import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { type Deps, onReserved } from '../../deps.ts';
import type { SandboxClock } from '../../domain/ports.ts';
import { invalid } from '../../domain/problems.ts';
import { type HandsetMessage, listHandsetMessages, replyFromHandset } from '../../domain/sandbox/handsets.ts';
import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { DateTime, lastMs, Phone } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { type ValueOf, valid, validator } from '../../schemas/shared/validate.ts';
import { parseBody, type RawBody } from '../door/body.ts';

const HandsetParams = Type.Object({ phone: Phone() });
const HandsetMessages = Type.Object({
  data: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), text: Type.String(), dateTime: DateTime() })),
});
/** The text can be empty, or left out, if there is media: addresses, or `sample` for a small picture that needs no network. */
const HandsetReply = Type.Object({
  to: Phone(),
  text: Type.Optional(Type.String({ maxLength: textLengthMax })),
  media: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 10 })),
});
const ClockAdvance = Type.Object({ advanceMs: Type.Integer({ minimum: 0, maximum: lastMs }) });
const ClockReading = Type.Object({ now: Type.Integer(), offsetMs: Type.Integer() });

/** What the process around the app does for the sandbox's routes. */
export type SandboxWork = {
  /** Sends everything that is due. A request that moves the sandbox's clock waits for it. */
  deliverDue?: () => Promise<void>;
  /** Makes everything as it was after the first start. */
  resetSandbox?: () => Promise<void>;
};

/** The texts that each phone received and replies from it, the clock, and the reset. */
export function ownRoutes(
  deps: Deps,
  clock: SandboxClock,
  { deliverDue, resetSandbox }: Required<SandboxWork>,
): SandboxRoute[] {
  const reading = () => ({ now: clock.now().getTime(), offsetMs: clock.offsetMs() });
  return [
    sandboxRoute({
      method: 'GET',
      path: '/sandbox/handset/:phone/messages',
      params: HandsetParams,
      response: HandsetMessages,
      handler: async ({ params: { phone } }) => ({ data: (await listHandsetMessages(deps, phone)).map(present) }),
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/handset/:phone/replies',
      params: HandsetParams,
      body: HandsetReply,
      response: Type.Object({}),
      status: 202,
      async handler({ params: { phone }, body }) {
        await replyFromHandset(onReserved(deps), phone, body);
        return {};
      },
    }),
    sandboxRoute({
      method: 'GET',
      path: '/sandbox/clock',
      response: ClockReading,
      handler: async () => reading(),
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/clock',
      body: ClockAdvance,
      response: ClockReading,
      async handler({ body: { advanceMs } }) {
        if (clock.now().getTime() + advanceMs > lastMs)
          throw invalid([
            { path: '/advanceMs', rule: 'maximum', message: 'advanceMs must not move the clock past the year 9999.' },
          ]);
        await clock.advance(advanceMs);
        await deliverDue();
        return reading();
      },
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/reset',
      handler: resetSandbox,
    }),
  ];
}

function present({ phone, textingNumber, text, dateTimeCreated }: HandsetMessage) {
  return { from: textingNumber, to: phone, text, dateTime: dateTimeCreated.toISOString() };
}

/** One of the sandbox's own endpoints. They need the API key alone. */
type SandboxRoute = {
  method: 'GET' | 'POST';
  path: string;
  params?: TSchema;
  body?: TSchema;
  response?: TSchema;
  /** 200 by default if there is a response, and otherwise 204. */
  status?: number;
  handler(input: { params: unknown; body: unknown }): Promise<unknown>;
};

/** A row of their tables. Its schemas give its handler's types. */
function sandboxRoute<P extends TSchema | undefined, B extends TSchema | undefined>(
  row: Omit<SandboxRoute, 'params' | 'body' | 'handler'> & {
    params?: P;
    body?: B;
    handler(input: NoInfer<{ params: ValueOf<P>; body: ValueOf<B> }>): Promise<unknown>;
  },
): SandboxRoute {
  return row as SandboxRoute;
}

export function addSandboxRoute(app: FastifyInstance, row: SandboxRoute): void {
  const { method, path: url, response, status = response ? 200 : 204, handler } = row;
  const [params, body] = [row.params, row.body].map((schema) => schema && validator(schema));
  app.route({
    method,
    url,
    schema: { response: response ? { [status]: response } : {} },
    handler: async (request, reply) => {
      const input = {
        params: params && valid(params(request.params)),
        body: body && valid(body(parseBody(request.body as RawBody, request.headers))),
      };
      return reply.code(status).send(await handler(input));
    },
  });
}
