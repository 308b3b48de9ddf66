import { setTimeout as pause } from 'node:timers/promises';
import { createClient, defineScript } from '@redis/client';
import type { BucketUse, SharedBuckets, TakenTokens } from '../../domain/ports.ts';

type Options = {
  url: string;
  /** Of every key in Redis, so that several deployments can share it. */
  prefix: string;
  onAway(why: { code: string | undefined }): void;
  onBack(): void;
};
type Waiter = BucketUse & { resolve(taken: TakenTokens | null): void };

/** A request waits no longer than these pauses for Redis, and then no other does until it answers again. */
const pausesMax = 4;
const pauseMs = 50;
const probeEveryMs = 500;
const connectMs = 2_000;
const reconnectPauseMsMax = 2_000;

/**
 * A bucket with `tokens` as of `at`, by Redis's clock: of the tokens that are wanted, those that it has are taken. A full bucket
 * is the same as none, so it expires when it would be full.
 */
const script = `
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local tokens, at = burst, now
local kept = redis.call('GET', KEYS[1])
if kept then
  local keptTokens, keptAt = string.match(kept, '(%S+) (%S+)')
  tokens, at = tonumber(keptTokens), tonumber(keptAt)
end
tokens = math.min(burst, tokens + math.max(0, now - at) / 1000 * rate)
local taken = math.min(wanted, math.floor(tokens))
if taken > 0 then
  tokens = tokens - taken
  local fullInMs = math.ceil((burst - tokens) / rate * 1000)
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', tokens, now), 'PX', fullInMs)
end
return {taken, string.format('%.17g', tokens)}
`;

const takeScript = defineScript({
  SCRIPT: script,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, { ratePerSecond, burst }: BucketUse, wanted: number) {
    parser.pushKey(key);
    parser.push(String(ratePerSecond), String(burst), String(wanted));
  },
  transformReply: (reply: unknown) => {
    const [taken, tokens] = reply as [number, string];
    return { taken, tokens: Number(tokens) };
  },
});

/**
 * Buckets in Redis or Valkey, for all processes. The requests of one turn of the event loop that use one bucket are one script,
 * and the scripts of a turn are one write, so under load Redis costs little. Exact: no process holds tokens that another could use.
 */
export function redisBuckets({ url, prefix, onAway, onBack }: Options): SharedBuckets & { stop(): Promise<void> } {
  const client = createClient({
    url,
    scripts: { take: takeScript },
    // A request that can't be asked now is not asked later.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, reconnectPauseMsMax),
    },
  });
  const stopping = new AbortController();
  let away = false;
  let turn = new Map<number, Waiter[]>();

  // It reconnects by itself. The first request that gets no response tells.
  client.on('error', goAway);
  client.connect().catch(goAway);

  function goAway(error?: unknown): void {
    if (away || stopping.signal.aborted) return;
    away = true;
    onAway({ code: (error as NodeJS.ErrnoException | undefined)?.code });
    void comeBack();
  }

  async function comeBack(): Promise<void> {
    let probing = false;
    let responses = false;
    while (!responses && !stopping.signal.aborted) {
      await pause(probeEveryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      // While it hangs, one question waits for it, not more and more.
      if (probing || !client.isReady) continue;
      probing = true;
      client
        .ping()
        .then(() => {
          responses = true;
        })
        .catch(() => {})
        .finally(() => {
          probing = false;
        });
    }
    if (stopping.signal.aborted) return;
    away = false;
    onBack();
  }

  function askAll(): void {
    const asked = turn;
    turn = new Map();
    for (const [keyId, waiting] of asked) void ask(keyId, waiting);
  }

  async function ask(keyId: number, waiting: Waiter[]): Promise<void> {
    const [plan] = waiting;
    const takers = waiting.filter(({ wanted }) => wanted > 0).length;
    const response = plan && client.isReady ? await within(client.take(`${prefix}${keyId}`, plan, takers)) : null;
    if (!response) goAway();
    let left = response?.taken ?? 0;
    for (const { wanted, resolve } of waiting) {
      const isTaken = wanted === 0 || left > 0;
      if (wanted > 0 && left > 0) left -= 1;
      // Those after it have taken theirs by now, but it was here first.
      resolve(response && { taken: isTaken, tokens: response.tokens + left });
    }
  }

  return {
    take(use) {
      if (away) return null;
      return new Promise((resolve) => {
        const waiting = turn.get(use.keyId);
        if (turn.size === 0) setImmediate(askAll);
        if (waiting) waiting.push({ ...use, resolve });
        else turn.set(use.keyId, [{ ...use, resolve }]);
      });
    },
    async stop() {
      stopping.abort();
      if (client.isOpen) client.destroy();
    },
  };
}

/** Null if it fails or takes too long. A pause in which this process was too busy to look counts once, however long it was. */
async function within<Value>(response: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    let pauses = 0;
    timer = setInterval(() => {
      pauses += 1;
      // After what has arrived meanwhile was read.
      if (pauses === pausesMax) setImmediate(resolve, null);
    }, pauseMs);
  });
  return Promise.race([response.catch(() => null), late]).finally(() => clearInterval(timer));
}
