import { type Deps, onReserved } from '../../deps.ts';
import { type HandsetMessage, listHandsetMessages, replyFromHandset } from '../../domain/sandbox/handsets.ts';
import { HandsetMessages, HandsetParams, HandsetReply, HandsetReplyResult } from '../../schemas/sandbox/handsets.ts';
import { type SandboxRoute, sandboxRoute } from './route.ts';

/** The sandbox's phones: the texts that each received, and replies from it. */
export function handsetRoutes(deps: Deps): SandboxRoute[] {
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
  ];
}

function present({ phone, textingNumber, text, dateTimeCreated }: HandsetMessage) {
  return { from: textingNumber, to: phone, text, dateTime: dateTimeCreated.toISOString() };
}
