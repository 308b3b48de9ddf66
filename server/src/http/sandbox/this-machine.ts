import type { FastifyInstance } from 'fastify';
import { loopbackHosts } from '../../config.ts';
import { type Asset, addAssets } from '../browser/assets.ts';
import { sendFailure } from '../browser/failures.ts';
import { sendErrorPage } from '../browser/page.ts';

const elsewhere = {
  status: 403,
  title: 'Only on this machine',
  message: 'The sandbox’s own pages can only be seen on the machine that it runs on, at that machine’s own host name.',
  next: 'Open this page at localhost.',
};

/** The sandbox's own pages. Another site could read them through a host name that resolves to this machine, so they answer to ours alone. */
export function addPagesHere(app: FastifyInstance, assets: Asset[], addRoutes: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
    scope.addHook('onRequest', async ({ headers: { host = '' } }, reply) => {
      if (!loopbackHosts.includes(host.replace(/:\d+$/, '').toLowerCase())) return sendErrorPage(reply, elsewhere);
    });
    addAssets(scope, assets);
    addRoutes(scope);
  });
}
