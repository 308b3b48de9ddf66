// A job queue of the trade behind Fastify: takes a text, queues it, and hands it to a carrier that does nothing. Started by peers.ts
// with the queue's name, the folder that it is installed in, the address of what it keeps its jobs in, and a port.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Fastify from 'fastify';

const [name = '', folder = '', url = '', port = ''] = process.argv.slice(2);
const from = createRequire(join(folder, 'package.json'));
const atOnce = 64;
let [accepted, done] = [0, 0];

async function handOver(): Promise<void> {
  done += 1;
}

const queues: Record<string, () => Promise<(text: object) => Promise<unknown>>> = {
  async bullmq() {
    const { Queue, Worker } = from('bullmq');
    const connection = { url, maxRetriesPerRequest: null };
    const queue = new Queue('texts', { connection, defaultJobOptions: { removeOnComplete: true } });
    new Worker('texts', handOver, { connection, concurrency: atOnce });
    return (text) => queue.add('text', text);
  },
  async 'graphile-worker'() {
    const { run, Logger } = from('graphile-worker');
    const logger = new Logger(() => () => {});
    const runner = await run({
      connectionString: url,
      concurrency: atOnce,
      maxPoolSize: 10,
      taskList: { text: handOver },
      logger,
    });
    return (text) => runner.addJob('text', text);
  },
};

const queue = await queues[name]?.();
if (!queue) throw new Error(`There is no peer ${name}.`);
const text = {
  type: 'object',
  required: ['phone', 'text'],
  properties: { phone: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' }, text: { type: 'string', maxLength: 1600 } },
};
const app = Fastify();
app.post('/texts', { schema: { body: text } }, async (request, reply) => {
  await queue(request.body as object);
  accepted += 1;
  return reply.code(202).send({ status: 'queued' });
});
app.get('/waiting', async () => accepted - done);
await app.listen({ host: '127.0.0.1', port: Number(port) });
