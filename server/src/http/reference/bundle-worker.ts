// Takes Scalar's browser script out of its Fastify plugin, which carries it as a string, and compresses it. In a thread of
// its own: both together take half a second, and the API must not wait for that.
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const app = Fastify();
await app.register(scalar, { routePrefix: '/scalar', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/scalar/js/scalar.js');
if (statusCode !== 200) throw new Error(`Scalar’s plugin answers ${statusCode} for its script.`);
parentPort?.postMessage(gzipSync(rawPayload));
