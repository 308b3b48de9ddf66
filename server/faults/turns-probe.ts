// Loaded into a server by `--import`: measures how long its thread is kept from other work.
import { createServer } from 'node:http';

const everyMs = 1;
let [longestMs, mostBytes] = [0, 0];
let last = process.threadCpuUsage();

/** What the thread spent on one round of its event loop, in which everybody else waits: not what other processes took from it. */
function look(): void {
  const { user, system } = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1_000);
}

if (process.env.TURNS_PORT) {
  setInterval(look, everyMs).unref();
  setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 10 * everyMs).unref();
  // Each answer is about the time since the last.
  createServer((_, response) => {
    response.end(JSON.stringify({ longestMs, mostBytes }));
    [longestMs, mostBytes] = [0, process.memoryUsage.rss()];
  })
    .listen(Number(process.env.TURNS_PORT), '127.0.0.1')
    .unref();
}
