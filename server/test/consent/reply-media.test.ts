import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { archive, byOperator, byPerson } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { fetchDueMedia } from '../../src/domain/consent/reply-media.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { type Carrier, carrierCallsPath, mediaBytesMax } from '../../src/domain/ports.ts';
import { dispose } from '../../src/domain/record-keeping/retention.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { startJobs } from '../../src/jobs/start.ts';
import { makeLog } from '../../src/log.ts';
import { passRealTime, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { type StandIn, startStandIn } from '../carriers/http/stand-in.ts';
import { vendors } from '../carriers/http/vendors.ts';
import { exportTo, makeDesk, readEmail, readLines, unzip } from '../record-keeping/archive-exports.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { runCommand } from '../support/commands.ts';
import { freePort } from '../support/programs.ts';
import { newPhone } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

const [twilio] = vendors;
assert.ok(twilio);

suite('media of replies, by Twilio', () => {
  let standIn: StandIn;
  let world: World;
  let url: string;
  before(async () => {
    standIn = await startStandIn();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const carrier = twilio.open(standIn, { publicUrl });
    const main = openCarrier(carrier, { name: 'main', readCall: twilio.reader(standIn) });
    world = await makeWorld({ env: { PUBLIC_URL: publicUrl }, carriers: fixedCarriers(main), dispatch: false });
    await world.app.listen({ host: '127.0.0.1', port });
    url = publicUrl + carrierCallsPath('main');
  });
  after(async () => {
    await world.close();
    await standIn.stop();
  });

  type Row = { number: number; kind: string; meta: Record<string, unknown>; body: Buffer | null };
  type MediaReply = { names: string[]; text?: string; id?: string; phone?: string };

  /** A person's text with media at the stand-in's addresses of these names. */
  async function receive({
    names,
    text = '',
    id = `SM${randomUUID().replaceAll('-', '')}`,
    phone = newPhone(),
  }: MediaReply) {
    const media = names.map((name) => ({
      url: `http://127.0.0.1:${standIn.port}/media/${name}?sig=secret`,
      contentType: 'image/png',
    }));
    const to = world.ann.advisor.textingNumber ?? '';
    const told = await standIn.deliver('twilio', { url, from: phone, to, text, id, media });
    assert.equal(told.status, 200);
    return { phone, id };
  }

  async function entriesOf(phone: string): Promise<Row[]> {
    const rows = await world.database.asOwner<Omit<Row, 'meta'> & { meta: string }>(
      `select number::integer as number, kind, meta, body
       from archive_entries e
       left join archive_bodies b using (advisor_id, number)
       join members m using (advisor_id, member_id)
       where phone = $1 and kind in ('text_in', 'media_in')
       order by number`,
      [phone],
    );
    return rows.map((row) => ({ ...row, meta: JSON.parse(row.meta) }));
  }

  /** In the order of the reply: they are archived as they come. */
  const mediaOf = async (phone: string) =>
    (await entriesOf(phone))
      .filter(({ kind }) => kind === 'media_in')
      .sort((one, other) => Number(one.meta.place) - Number(other.meta.place));
  const reports: string[] = [];
  const fetchMedia = (deps = world.deps) => fetchDueMedia(deps, (_, why) => void reports.push(why));
  const asked = async (name: string) => (await standIn.mediaCredentials()).filter((each) => each.includes(name));
  const makeDue = () =>
    world.database.asOwner(
      `update reply_media set not_before = now() - interval '1 second' where not_before is not null`,
    );

  test('a text with media and no words is stored, with what came and where, but no secret', async () => {
    const { phone } = await receive({ names: ['locked', 'plain'] });
    const [reply, ...rest] = await entriesOf(phone);
    const place = { contentType: 'image/png', url: `http://127.0.0.1:${standIn.port}/media/` };
    assert.deepEqual([reply?.kind, reply?.body?.length, rest.length], ['text_in', 0, 0]);
    assert.deepEqual(reply?.meta.media, [
      { ...place, url: `${place.url}locked` },
      { ...place, url: `${place.url}plain` },
    ]);
    assert.doesNotMatch(JSON.stringify(reply?.meta), /secret/);
    await fetchMedia();
    const media = await mediaOf(phone);
    const [from, to] = [phone, world.ann.advisor.textingNumber];
    const facts = { from, to, reply: reply?.number, contentType: 'image/png', size: 1_000 };
    assert.deepEqual(
      media.map(({ meta, body }) => [meta, body?.equals(Buffer.alloc(1_000, 7))]),
      [1, 2].map((place) => [{ ...facts, place }, true]),
    );
    const rows = await world.database.asOwner('select from reply_media where url is not null');
    assert.equal(rows.length, 0, 'a signed address is forgotten');
    assert.deepEqual((await asked('locked')).length, 1);
    assert.ok(
      (await asked('/cdn/')).every((each) => each.endsWith(' none')),
      'credentials stay with the carrier',
    );
  });

  test('a node fetches it by itself', async () => {
    const [deps, log] = [{ ...world.deps, sandboxClock: undefined }, makeLog('silent')];
    const running = startJobs(deps, log, dispatcher(deps, log));
    after(() => running.stop());
    const { phone } = await receive({ names: ['plain'], text: 'Look' });
    await until('it is archived', async () => (await mediaOf(phone)).length === 1);
    await running.stop();
  });

  test('a repeated call, and nodes that fetch at once, archive it once', async () => {
    const { phone, id } = await receive({ names: ['once'], text: 'Look' });
    await receive({ names: ['once'], text: 'Look', id, phone });
    await Promise.all([fetchMedia(), fetchMedia(), fetchMedia()]);
    await makeDue();
    await receive({ names: ['once'], text: 'Look', id, phone });
    await fetchMedia();
    assert.deepEqual([(await mediaOf(phone)).length, (await asked('/once')).length], [1, 1]);
  });

  test('a claim that was lost is taken over, and its late answer writes nothing', async () => {
    const { phone } = await receive({ names: ['late'] });
    const arrived = Promise.withResolvers<void>();
    const carrier = world.deps.carriers.list()[0]?.carrier as Carrier;
    const slow: Carrier = {
      ...carrier,
      async fetchMedia(media) {
        await arrived.promise;
        return { contentType: media.contentType, bytes: Buffer.from('late') };
      },
    };
    const first = fetchMedia({ ...world.deps, carriers: fixedCarriers(slow) });
    await until('it is claimed', async () => {
      const rows = await world.database.asOwner('select from reply_media where not_before > now()');
      return rows.length === 1;
    });
    await makeDue();
    await fetchMedia();
    arrived.resolve();
    await first;
    assert.deepEqual(
      (await mediaOf(phone)).map(({ body }) => body?.length),
      [1_000],
    );
  });

  test('what is too large or leads into a private network is recorded as not fetched, at once', async () => {
    const { phone } = await receive({ names: ['large', 'private'] });
    await fetchMedia();
    const [large, inside] = await mediaOf(phone);
    assert.match(String(large?.meta.notFetched), /answers with more than 5242880 bytes/);
    assert.match(String(inside?.meta.notFetched), /169\.254\.169\.254 is not a public address/);
    assert.deepEqual([large?.body?.length, inside?.body?.length], [0, 0]);
    assert.doesNotMatch(JSON.stringify([large, inside]), /secret/);
    await makeDue();
    await fetchMedia();
    assert.equal((await mediaOf(phone)).length, 2);
  });

  test('what is gone is tried for a day with growing pauses, and then recorded', async () => {
    const { phone } = await receive({ names: ['gone'] });
    const pauses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await fetchMedia();
      const [row] = await world.database.asOwner<{ seconds: number }>(
        `select extract(epoch from not_before - now())::float as seconds from reply_media where not_before is not null`,
      );
      pauses.push(row?.seconds ?? 0);
      await makeDue();
    }
    assert.ok(
      pauses.every((pause, index) => pause > (pauses[index - 1] ?? 0)),
      String(pauses),
    );
    assert.equal((await mediaOf(phone)).length, 0);
    await world.database.asOwner(
      `update reply_media set date_time_created = now() - interval '25 hours' where not_before is not null`,
    );
    await fetchMedia();
    const [entry] = await mediaOf(phone);
    assert.equal(entry?.meta.notFetched, 'The carrier answers with 404.');
    assert.equal(reports.at(-1), 'The carrier answers with 404.');
    const requests = (await asked('/gone')).length;
    await makeDue();
    await fetchMedia();
    assert.deepEqual([(await mediaOf(phone)).length, (await asked('/gone')).length], [1, requests]);
  });

  test('a type that the carrier didn’t tell is kept beside the one that it told', async () => {
    const { phone } = await receive({ names: ['page'] });
    await fetchMedia();
    const [entry] = await mediaOf(phone);
    assert.deepEqual([entry?.meta.contentType, entry?.meta.told], ['text/html', 'image/png']);
  });

  test('a slow one ends with the node, and the next node has it at once', async () => {
    const { phone } = await receive({ names: ['slow'] });
    const signals = makeSignals();
    const fetching = fetchMedia({ ...world.deps, signals });
    await until('it is asked for', async () => (await asked('/slow')).length === 1);
    signals.stopping.abort(new Error('The node stops.'));
    await fetching;
    assert.equal((await mediaOf(phone)).length, 0);
    const due = await world.database.asOwner('select from reply_media where not_before <= now()');
    assert.equal(due.length, 1);
    await world.database.asOwner('update reply_media set not_before = null where not_before is not null');
  });

  test('a reply has at most ten media, and ten megabytes of them', async () => {
    const { phone } = await receive({ names: Array.from({ length: 3 }, () => 'whole') });
    await fetchMedia();
    const media = await mediaOf(phone);
    const sizes = media.map(({ body }) => body?.length ?? 0).sort();
    assert.deepEqual(sizes, [0, mediaBytesMax, mediaBytesMax]);
    assert.ok(media.some(({ meta }) => meta.notFetched === 'More than 10 MiB came with this text.'));
    const many = Array.from({ length: 12 }, () => 'plain');
    const carrier = openCarrier(world.deps.carriers.list()[0]?.carrier as Carrier);
    const from = newPhone();
    const to = world.ann.advisor.textingNumber ?? '';
    const given = many.map((name) => ({ url: `http://127.0.0.1:${standIn.port}/media/${name}`, contentType: 'x' }));
    const reply = { carrierMessageId: randomUUID(), from, to, text: '', sentAt: new Date(), media: given };
    await receiveReply(world.deps, carrier, reply);
    for (let turn = 0; turn < 4; turn += 1) await fetchMedia();
    const [text, ...kept] = await entriesOf(from);
    const { media: told, mediaLeftOut } = text?.meta ?? {};
    assert.deepEqual([Array.isArray(told) && told.length, mediaLeftOut, kept.length], [10, 2, 10]);
  });

  test('an altered or removed body is named; exports have it; disposal takes it when it is due', async () => {
    const deps: Deps = { ...world.deps, signer, checkpointFolder: null };
    const { advisorId } = world.ann.advisor;
    const { phone } = await receive({ names: ['plain'], text: 'Here' });
    await fetchMedia();
    await growTree(deps);
    const verify = () => verifyArchive(deps, { verifiers: [signer.verifier], kept: null, progress: () => {} });
    const intact = await verify();
    assert.deepEqual([intact.verdict, intact.faults], ['intact', []]);
    const [media] = await mediaOf(phone);
    const where = `where advisor_id = ${advisorId} and number = ${media?.number}`;
    const alter = async (statement: string) => {
      await world.database.asOwner('alter table archive_bodies disable trigger all');
      await world.database.asOwner(statement);
    };
    await alter(`update archive_bodies set body = set_byte(body, 999, 8) ${where}`);
    const altered = await verify();
    assert.deepEqual(
      altered.faults.map(({ verdict, entry, what }) => [verdict, entry, what]),
      [['altered', `entry ${media?.number} of advisor ${advisorId}`, 'its body was altered']],
    );
    await alter(`update archive_bodies set body = set_byte(body, 999, 7) ${where}`);

    const desk = makeDesk(signer.publicKey);
    after(() => desk.remove());
    const whole = await exportTo(deps, desk.path('whole'), advisorId);
    const report = desk.verify(whole.folder, whole.checkpoint);
    assert.equal(report.code, 0, report.message);
    const line = readLines(whole.folder).find(({ entry }) => entry.number === media?.number);
    assert.deepEqual([line?.body, line?.text, line?.phone], [media?.body?.toString('base64'), null, phone]);
    const files = unzip(join(whole.folder, 'messages.zip'));
    const name = String(media?.number).padStart(6, '0');
    const bytes = files.get(`${name}-media.eml`) ?? Buffer.alloc(0);
    assert.deepEqual(readEmail(bytes).body, media?.body);
    assert.match(
      bytes.toString(),
      /\r\nContent-Type: image\/png\r\nContent-Disposition: attachment; filename="media.png"/,
    );
    const text = files.get(`${String(media?.meta.reply).padStart(6, '0')}-in.eml`)?.toString() ?? '';
    assert.match(text, /\r\nX-Assent-Media: 1\r\n/);

    await archive(deps, byPerson, { advisorId, kind: 'sign_in', memberId: null, meta: {}, body: 'later' });
    await world.clock.advance(yearsMs(8));
    await passRealTime(world.database, deps, yearsMs(8));
    await dispose(deps, { by: byOperator, dryRun: false });
    assert.equal((await mediaOf(phone))[0]?.body, null);
    const after8 = await verify();
    assert.deepEqual([after8.verdict, after8.faults], ['intact', []]);
  });

  test('reviewers see what came', async () => {
    const { phone } = await receive({ names: ['plain', 'large', 'slow'], text: 'please stop texting me' });
    await world.database.asOwner(`update reply_media set not_before = null where url like '%slow%'`);
    await fetchMedia();
    const [review] = await world.database.asOwner<{ id: number }>(
      `select review_id::integer as id from reviews join members using (advisor_id, member_id) where phone = $1`,
      [phone],
    );
    const scratch = mkdtempSync(join(tmpdir(), 'assent-media-'));
    after(() => rmSync(scratch, { recursive: true, force: true }));
    const env = { DATABASE_URL: world.database.url, ASSENT_DATA_DIR: scratch };
    const shown = await runCommand(['reviews', 'show', String(review?.id)], env);
    assert.equal(shown.status, 0, shown.stderr);
    const [kept] = await mediaOf(phone);
    assert.match(shown.stdout, new RegExp(`^ {2}picture \\(image/png, 1 kB\\), archive entry ${kept?.number}$`, 'm'));
    assert.match(shown.stdout, /^ {2}picture \(image\/png\), could not be fetched: .*more than 5242880 bytes/m);
    assert.match(shown.stdout, /^ {2}picture \(image\/png\), not fetched yet$/m);
  });
});
