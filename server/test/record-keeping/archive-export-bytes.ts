import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Deps } from '../../src/deps.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import { isBlank } from '../../src/domain/shared/text/text-rules.ts';
import { signer } from '../archive/small-archive.ts';
import { acceptedPhone, handset, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { exportTo, makeDesk, readEmail, readLines, unzip } from './archive-exports.ts';

const sendersCount = 64;
/** One in so many is a whole request; the rest is what a request calls, which costs a third. */
const requestEvery = 10;

/** Sends random texts; asserts that the phone, the archive and each file of an export have the same bytes. */
export async function compareBytes(textsCount: number, say: (line: string) => void): Promise<void> {
  const world = await makeWorld();
  const desk = makeDesk(signer.publicKey);
  try {
    await compareIn(world, desk, textsCount, say);
  } finally {
    await world.close();
    desk.remove();
  }
}

type Desk = ReturnType<typeof makeDesk>;

async function compareIn(world: World, desk: Desk, textsCount: number, say: (line: string) => void): Promise<void> {
  const { ann, database } = world;
  const deps: Deps = { ...world.deps, signer, checkpointFolder: null };
  const phone = await acceptedPhone(world, ann);
  const texts = Array.from({ length: textsCount }, randomText);
  const left = texts.entries();
  const began = performance.now();
  const request = async (text: string) => (await send(ann, { phone, text })).body;
  const call = (text: string) => sendMessage(deps, ann.advisor.advisorId, { phone, text }, byOperator);
  const sendAll = async () => {
    for (const [index, text] of left) {
      const { successes } = index % requestEvery === 0 ? await request(text) : await call(text);
      assert.equal(successes?.length, 1, JSON.stringify(text));
    }
  };
  await Promise.all(Array.from({ length: sendersCount }, sendAll));
  const onPhone = 'select count(*) as count from handset_messages where phone = $1';
  const arrived = async () => (await database.pool.query<{ count: number }>(onPhone, [phone]))[0]?.count === textsCount;
  await until('all are on the phone', arrived, 60_000);
  const sent = sorted(texts.map((text) => Buffer.from(text)));
  const took = (since: number) => Math.round(performance.now() - since);
  say(`sent and received in ${took(began)} ms`);

  const received = await handset(world, phone);
  assert.deepEqual(sorted(received.map(({ text }) => Buffer.from(text))), sent);
  const archived = await database.pool.query<{ body: Buffer }>(
    "select body from archive_bodies join archive_entries using (advisor_id, number) where advisor_id = $1 and kind = 'text_out'",
    [ann.advisor.advisorId],
  );
  assert.deepEqual(sorted(archived.map(({ body }) => body)), sent);

  const exporting = performance.now();
  const { folder, entries, checkpoint } = await exportTo(deps, desk.path('bytes'), ann.advisor.advisorId);
  say(`exported ${Math.round((entries * 1000) / took(exporting))} entries a second`);
  const lines = readLines(folder).filter(({ entry }) => entry.kind === 'text_out');
  assert.deepEqual(sorted(lines.map(({ body }) => Buffer.from(body ?? '', 'base64'))), sent);
  assert.deepEqual(sorted(lines.map(({ text }) => Buffer.from(text ?? ''))), sent);
  const files = unzip(join(folder, 'messages.zip'));
  const emails = [...files].filter(([name]) => name.endsWith('-out.eml')).map(([, bytes]) => readEmail(bytes));
  assert.deepEqual(sorted(emails.map(({ body }) => body)), sent);
  // Each beside its own entry, not only all beside all.
  for (const [index, { body, entry }] of lines.entries()) {
    const email = emails[index];
    assert.equal(email?.headers.get('X-Assent-Entry'), String(entry.number));
    assert.equal(email?.body.toString('base64'), body);
  }

  const verifying = performance.now();
  const report = desk.verify(folder, checkpoint);
  assert.deepEqual([report.code, report.entries], [0, entries], report.message);
  say(`verified ${Math.round((entries * 1000) / took(verifying))} entries a second`);
}

/** Every script, emoji and oddity that a text can have: whatever is neither half of a character nor a control. */
function randomText(): string {
  const planes = [0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000];
  const length = Math.random() < 0.01 ? 1_600 : 1 + Math.floor(Math.random() ** 3 * 160);
  let text = '';
  for (let each = 0; each < length; ) {
    const code = Math.floor(Math.random() * (planes[Math.floor(Math.random() * planes.length)] ?? 0));
    const character = String.fromCodePoint(code);
    if (/[\p{Cc}\p{Cs}]/u.test(character) && !/[\t\n\r]/.test(character)) continue;
    text += character;
    each += 1;
  }
  return isBlank(text) ? randomText() : text;
}

function sorted(texts: Buffer[]): string[] {
  return texts.map((text) => text.toString('hex')).sort();
}
