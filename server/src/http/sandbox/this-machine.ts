import type { FastifyInstance } from 'fastify';
import { loopbackHosts } from '../../config.ts';
import { sendErrorPage } from '../browser/page.ts';

const elsewhere = {
  status: 403,
  title: 'Only on this machine',
  message: 'The sandbox’s own pages can only be seen on the machine that it runs on, at that machine’s own host name.',
  next: 'Open this page at localhost.',
};

/** Another site could read these pages through a host name that resolves to this machine, so they answer to ours alone. */
export function answerHereOnly(scope: FastifyInstance): void {
  scope.addHook('onRequest', async ({ headers: { host = '' } }, reply) => {
    if (!loopbackHosts.includes(host.replace(/:\d+$/, '').toLowerCase())) return sendErrorPage(reply, elsewhere);
  });
}
