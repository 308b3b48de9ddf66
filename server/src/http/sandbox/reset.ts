import { type SandboxRoute, sandboxRoute } from './route.ts';

export function resetRoutes(reset: () => Promise<void>): SandboxRoute[] {
  return [
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/reset',
      summary: 'Reset sandbox',
      description:
        'Makes everything as it was after the first start: contacts, consent, texts, schedules, events, webhooks, settings and the archive, with the clock at real time. The credentials stay; access tokens and refresh tokens from before are ended.',
      handler: reset,
    }),
  ];
}
