import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { checkTimestamp, timestampQuery } from '../../src/adapters/checkpoints/rfc3161.ts';
import { timestampAuthority } from '../../src/adapters/checkpoints/timestamps.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { checkpointDeliverer } from '../../src/domain/archive/checkpoint-deliveries.ts';
import * as treeStore from '../../src/store/archive/archive-tree.ts';
import { makeDatabase } from '../support/database.ts';
import { archiveDepsOn } from './small-archive.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'assent-timestamps-'));
const database = await makeDatabase();
const deps = archiveDepsOn(database.pool);
await growTree(deps);

type Answers = (query: Buffer, response: ServerResponse) => Promise<void> | void;

/** A real authority: OpenSSL behind HTTP, with a certificate from a root of its own. */
await makeAuthority();
let asked = 0;
let answers: Answers = stamped;
const server = createServer(async (request, response) => {
  asked += 1;
  await answers(await bodyOf(request), response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`;

after(async () => {
  server.close();
  server.closeAllConnections();
  await database.drop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = 0;
  answers = stamped;
});

function openssl(...args: string[]) {
  return run('openssl', args, { cwd: folder });
}

async function makeAuthority(): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test root', '-days', '2');
  await openssl('req', ...key, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', '/CN=Test TSA');
  writeFileSync(join(folder, 'tsa.ext'), 'extendedKeyUsage = critical,timeStamping\n');
  const issuing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'tsa.ext'];
  await openssl('x509', '-req', '-in', 'tsa.csr', ...issuing, '-out', 'tsa.pem');
  const configuration = (digests: string) => `
    [tsa]
    default_tsa = ours
    [ours]
    serial = ${folder}/serial
    signer_cert = ${folder}/tsa.pem
    certs = ${folder}/ca.pem
    signer_key = ${folder}/tsa.key
    signer_digest = sha256
    default_policy = 1.2.3.4.1
    digests = ${digests}
    accuracy = secs:1
    ordering = yes
    tsa_name = yes
    ess_cert_id_alg = sha256
  `;
  writeFileSync(join(folder, 'tsa.cnf'), configuration('sha256'));
  writeFileSync(join(folder, 'refusing.cnf'), configuration('sha512'));
}

async function reply(query: Buffer, configuration = 'tsa.cnf'): Promise<Buffer> {
  const name = randomBytes(6).toString('hex');
  writeFileSync(join(folder, `${name}.tsq`), query);
  const files = ['-queryfile', `${name}.tsq`, '-out', `${name}.tsr`];
  await openssl('ts', '-reply', '-config', configuration, ...files);
  return readFileSync(join(folder, `${name}.tsr`));
}

async function stamped(query: Buffer, response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'application/timestamp-reply');
  response.end(await reply(query));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  assert.equal(request.method, 'POST');
  assert.equal(request.headers['content-type'], 'application/timestamp-query');
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
}

/** Signs the tree once more, as happens after a while. */
async function newCheckpoint() {
  const last = await treeStore.findCheckpoint(deps.db);
  const now = new Date((last?.dateTimeCreated.getTime() ?? 0) + 1);
  const text = `${deps.signer?.verifier.name}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\ntime ${now.toISOString()}\n`;
  await treeStore.insertCheckpoint(deps.db, { size: 0, note: deps.signer?.sign(text) ?? '', now });
}

function timestamps() {
  return deps.db.query<{ checkpointId: number; size: number; note: string; token: Buffer; dateTimeCreated: Date }>(
    `select checkpoint_id as "checkpointId", c.size, c.note, d.token, d.date_time_created as "dateTimeCreated"
     from archive_deliveries d
     join archive_checkpoints c using (checkpoint_id)
     where d.kind = 'timestamp'
     order by checkpoint_id`,
  );
}

test('a checkpoint is stamped, and OpenSSL verifies the stored token for that note and no other', async () => {
  const deliver = checkpointDeliverer(deps, { command: null, timestamp: timestampAuthority(url), timestampEveryMs: 1 });
  assert.deepEqual(await deliver(), []);
  const [kept, ...more] = await timestamps();
  const newest = await treeStore.findCheckpoint(deps.db);
  assert.equal(kept?.note, newest?.note);
  assert.deepEqual(more, []);
  writeFileSync(join(folder, 'note'), kept?.note ?? '');
  writeFileSync(join(folder, 'token'), kept?.token ?? '');
  const verify = ['ts', '-verify', '-in', 'token', '-CAfile', 'ca.pem', '-data'];
  assert.match((await openssl(...verify, 'note')).stdout, /Verification: OK/);
  writeFileSync(join(folder, 'other'), `${kept?.note} `);
  await assert.rejects(openssl(...verify, 'other'));
  await deliver();
  assert.equal(asked, 1, 'a stamped checkpoint needs no second stamp');
});

test('all nodes together ask the authority no more often than configured', async () => {
  await newCheckpoint();
  const count = (await timestamps()).length;
  const timestamp = timestampAuthority(url);
  const nodes = [1, 2].map(() => checkpointDeliverer(deps, { command: null, timestamp, timestampEveryMs: 60_000 }));
  for (const deliver of nodes) assert.deepEqual(await deliver(), []);
  assert.equal(asked, 0);
  const soon = checkpointDeliverer(deps, { command: null, timestamp, timestampEveryMs: 1 });
  assert.deepEqual(await soon(), []);
  assert.equal((await timestamps()).length, count + 1);
  assert.equal(asked, 1);
});

const hostile: Record<string, { answers: Answers; what: RegExp; timeoutMs?: number }> = {
  'that stamps something else': {
    answers: async (query, response) => {
      const nonce = query.subarray(-11, -3);
      response.end(await reply(timestampQuery({ digest: randomBytes(32), nonce })));
    },
    what: /has stamped something else/,
  },
  'that answers a different request': {
    answers: async (query, response) => {
      const digest = query.subarray(24, 56);
      response.end(await reply(timestampQuery({ digest, nonce: randomBytes(8) })));
    },
    what: /has answered a different request/,
  },
  'that refuses': {
    answers: async (query, response) => void response.end(await reply(query, 'refusing.cnf')),
    what: /refuses with status 02: Message digest algorithm is not supported/,
  },
  'that answers nonsense': {
    answers: (_query, response) => void response.end(randomBytes(2_000)),
    what: /is not a timestamp/,
  },
  'that answers nothing': { answers: (_query, response) => void response.end(), what: /is not a timestamp/ },
  'that redirects': {
    answers: (_query, response) => void response.writeHead(302, { location: url }).end('<html>'),
    what: /answers 302/,
  },
  'that never stops': {
    answers: (_query, response) => void response.end(Buffer.alloc(65 * 1024, 0x30)),
    what: /more than 65536 bytes/,
  },
  'that is too slow': {
    answers: (_query, response) => {
      response.write('0');
      const more = setInterval(() => response.write('0'), 20);
      response.once('close', () => clearInterval(more));
    },
    what: /did not answer in time/,
    timeoutMs: 300,
  },
  'that hangs up': { answers: (_query, response) => void response.destroy(), what: /can’t be reached/ },
};

for (const [name, { answers: lying, what, timeoutMs = 30_000 }] of Object.entries(hostile))
  test(`from an authority ${name} nothing is kept, and the fault is reported`, async () => {
    await newCheckpoint();
    answers = lying;
    const count = (await timestamps()).length;
    const timestamp = timestampAuthority(url, { timeoutMs });
    const [fault, ...more] = await checkpointDeliverer(deps, { command: null, timestamp, timestampEveryMs: 1 })();
    assert.match(fault?.what ?? '', what);
    assert.deepEqual(more, []);
    assert.equal((await timestamps()).length, count);
  });

test('an answer that was cut short or changed anywhere is refused, unless it still says the same', async () => {
  const request = {
    digest: createHash('sha256').update('note').digest(),
    nonce: Buffer.from('00ff001122334455', 'hex'),
  };
  const answer = await reply(timestampQuery(request));
  checkTimestamp(answer, request);
  for (let bytes = 0; bytes < answer.length; bytes += 1)
    assert.throws(() => checkTimestamp(answer.subarray(0, bytes), request), /not a timestamp/);
  assert.throws(() => checkTimestamp(Buffer.concat([answer, Buffer.from([5, 0])]), request), /not a timestamp/);
  const rangeOf = (part: Buffer) => ({ from: answer.indexOf(part), to: answer.indexOf(part) + part.length });
  const [digest, nonce] = [rangeOf(request.digest), rangeOf(request.nonce.subarray(1))];
  for (let at = 0; at < answer.length; at += 1) {
    const changed = Buffer.from(answer);
    changed[at] = changed.readUInt8(at) ^ (1 << (at % 8));
    const fault = faultOf(() => checkTimestamp(changed, request));
    if (at >= digest.from && at < digest.to) assert.match(fault, /something else/);
    else if (at >= nonce.from && at < nonce.to) assert.match(fault, /a different request/);
    else assert.match(fault, /^$|^The time-stamping authority /);
  }
});

test('OpenSSL reads every query as intended, whatever its nonce', async () => {
  for (const nonce of [
    '0000000000000000',
    '00000000000000ff',
    '7fffffffffffffff',
    '8000000000000000',
    '0080000000000001',
  ]) {
    const digest = createHash('sha256').update(nonce).digest();
    writeFileSync(join(folder, 'query'), timestampQuery({ digest, nonce: Buffer.from(nonce, 'hex') }));
    const { stdout } = await openssl('ts', '-query', '-in', 'query', '-text');
    assert.match(stdout, /Hash Algorithm: sha256/);
    assert.match(stdout, new RegExp(`Nonce: 0x0*${BigInt(`0x${nonce}`).toString(16)}\n`, 'i'));
    assert.match(stdout, /Certificate required: yes/);
    checkTimestamp(await reply(readFileSync(join(folder, 'query'))), { digest, nonce: Buffer.from(nonce, 'hex') });
  }
});

function faultOf(check: () => void): string {
  try {
    check();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
