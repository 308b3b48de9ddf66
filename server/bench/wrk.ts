import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { Load, LoadOptions } from './load.ts';

/** Debian's `wrk`, a load generator in C: it takes less CPU time from the server than ours. */
export const wrk = findProgram('wrk');

/** Requests in turn, and the outcome as a line of JSON. Latencies are in microseconds. */
const script = (requests: Buffer[]) => `
local requests = { ${requests.map(quoted).join(',\n')} }
local next = 0
function request()
  next = next % #requests + 1
  return requests[next]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\\n{"count":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failed))
end
`;

export async function loadByWrk(program: string, { port, requests, connections, seconds }: LoadOptions): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-wrk-'));
  try {
    const file = join(folder, 'requests.lua');
    writeFileSync(file, script(requests));
    const duration = Math.max(1, Math.round(seconds));
    const { stdout } = await promisify(execFile)(
      program,
      ['-t1', `-c${connections}`, `-d${duration}s`, '--timeout', '20s', '-s', file, `http://127.0.0.1:${port}`],
      { timeout: (duration + 60) * 1000 },
    );
    const { count, us, p50, p99, failed } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    if (failed > 0) throw new Error(`Of ${count} requests ${failed} failed: ${stdout}`);
    return { count, perSecond: (count / us) * 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As a string of Lua, byte for byte. */
function quoted(bytes: Buffer): string {
  return `"${[...bytes].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}
