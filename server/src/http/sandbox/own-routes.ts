import { type Deps, onReserved } from '../../deps.ts';
import type { SandboxClock } from '../../domain/ports.ts';
import { invalid } from '../../domain/problems.ts';
import { type HandsetMessage, listHandsetMessages, replyFromHandset } from '../../domain/sandbox/handsets.ts';
import { ClockAdvance, ClockReading, lastMs } from '../../schemas/sandbox/clock.ts';
import { HandsetMessages, HandsetParams, HandsetReply, HandsetReplyResult } from '../../schemas/sandbox/handsets.ts';
import { type SandboxRoute, sandboxRoute } from './route.ts';

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
      summary: 'List handset messages',
      description: 'The texts that the phone received, oldest first. Any number is a phone.',
      params: HandsetParams,
      response: HandsetMessages,
      handler: async ({ params: { phone } }) => ({ data: (await listHandsetMessages(deps, phone)).map(present) }),
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/handset/:phone/replies',
      summary: 'Reply from handset',
      description:
        'A text from the phone to an advisor, with pictures if you like. The response comes once it has taken effect.',
      params: HandsetParams,
      body: HandsetReply,
      response: HandsetReplyResult,
      status: 202,
      async handler({ params: { phone }, body }) {
        await replyFromHandset(onReserved(deps), phone, body);
        return {};
      },
    }),
    sandboxRoute({
      method: 'GET',
      path: '/sandbox/clock',
      summary: 'Get clock',
      description:
        'The time that schedules, quiet hours, consent and the times in responses go by. Tokens, usage plans and idempotency go by real time.',
      response: ClockReading,
      handler: async () => reading(),
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/clock',
      summary: 'Advance clock',
      description: 'Moves the time forward. The response comes once everything that became due has been handed on.',
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
      summary: 'Reset sandbox',
      description:
        'Makes everything as it was after the first start: contacts, consent, texts, schedules, events, webhooks, settings and the archive, with the clock at real time. The credentials stay; access tokens and refresh tokens from before are ended.',
      handler: resetSandbox,
    }),
  ];
}

function present({ phone, textingNumber, text, dateTimeCreated }: HandsetMessage) {
  return { from: textingNumber, to: phone, text, dateTime: dateTimeCreated.toISOString() };
}
