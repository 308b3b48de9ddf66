// Loaded into a server by `--import`: measures how long its thread is kept from other work.
import { subscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';

const everyMs = 1;
let [longestMs, mostBytes] = [0, 0];
let last = process.threadCpuUsage();
const routes = new Set<string>();

/** What the thread spent on one round of its event loop, in which everybody else waits: not what other processes took from it. */
function look(): void {
  const { user, system } = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1_000);
}

// Workers have the same options.
if (isMainThread && process.env.TURNS_PORT) {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => void [method].flat().map((each) => routes.add(`${each} ${url}`)));
  });
  setInterval(look, everyMs).unref();
  setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 10 * everyMs).unref();
  // Each answer is about the time since the last.
  createServer((_, response) => {
    response.end(JSON.stringify({ longestMs, mostBytes, routes: [...routes] }));
    [longestMs, mostBytes] = [0, process.memoryUsage.rss()];
  })
    .listen(Number(process.env.TURNS_PORT), '127.0.0.1')
    .unref();
}
