import { randomUUID } from 'node:crypto';
import type { Deps } from '../src/deps.ts';
import { startImport } from '../src/domain/address-book/contact-imports.ts';
import { createGroup } from '../src/domain/address-book/groups.ts';
import { receiveReply } from '../src/domain/consent/replies.ts';
import { indexArchive } from '../src/domain/record-keeping/archive-index.ts';
import { sandboxSource, setInitialConsent } from '../src/domain/sandbox/initial-consent.ts';
import type { SandboxAdvisor } from '../src/domain/sandbox/sandbox.ts';
import { setLexicon } from '../src/domain/supervision/lexicons.ts';
import { startStandIn } from '../test/carriers/http/stand-in.ts';
import { twilioSettings } from '../test/carriers/http/vendors.ts';
import { depsOn } from '../test/support/deps.ts';
import { type Deployment, freePort, type Program, startServer } from '../test/support/programs.ts';
import { Visitor } from '../test/support/visitor.ts';
import { until } from '../test/support/waiting.ts';
import { command } from './commands.ts';

export type Door = 'app' | 'console' | 'operator' | 'partner';
export type Node = { program: Program; probePort: number };

/** Nodes with a book, a group and an archive as large as they may be for one request, and who may ask for them. */
export type Stage = {
  nodes: Node[];
  advisor: SandboxAdvisor;
  groupId: number;
  phones: string[];
  /** Who wrote the long replies; one of those, and a review of one. */
  memberId: number;
  replyId: number;
  entryNumber: number;
  reviewId: number;
  headers: Record<Door, Record<string, string>>;
  /** The sandbox's application. */
  client: { client_id: string; client_secret: string; redirect_uri: string };
  /** Every route that a server has: its method and its path. */
  routes: string[];
};

const people = 10_000;
/** Of the firm's other advisors. */
const colleagues = 2_000;
const atOnce = 500;
/** A page of the console has 25. */
const [lexiconVersions, longReplies] = [26, 40];
/** As many as an SMSC joins, in as many parts as a text can have. */
const replyLength = 39_000;
const indexMs = 120_000;
/** Of all nodes: a browser's cookies are good at each. */
const publicUrl = 'http://localhost:8080';
const appDoor = { path: '/sign-in', api: '/app/api' };
export const consoleDoor = { path: '/console/sign-in', api: '/console/api' };
/** After the beginning of the book, which is texted. */
const writer = 1_999;

const phrases = Array.from({ length: 2_000 }, (_, index) => `word${index} ${'loremipsum '.repeat(17)}`.slice(0, 195));
const longReply = `novel 4111 1111 1111 1112 ${'1234 5678 9012 34 '.repeat(3_000)}`.slice(0, replyLength);

/** As many phrases as a lexicon may have, as long as they may be. A body has room for fewer. */
export function fullLexicon(version: number, rules = 20) {
  return {
    rules: Array.from({ length: rules }, (_, rule) => ({
      name: `Rule ${rule} of version ${version}`,
      action: 'flag',
      phrases: phrases.slice(rule * 100, rule * 100 + 100),
    })),
  };
}

/** `nodes` has those that were started, also where something fails after that. */
export async function openStage(deployment: Deployment, nodes: Node[], count: number): Promise<Stage> {
  for (let index = 0; index < count; index++) nodes.push(await startProbed(deployment));
  const { database, folder } = deployment;
  const deps = depsOn(database.pool);
  const { advisors, apiKey, clientId, clientSecret, redirectUri } = folder.sandbox();
  const client = { client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri };
  const advisor = advisors.find(({ email }) => email === 'casey@sandbox.example') as SandboxAdvisor;
  const [row] = await database.asOwner<{ firmId: number; staffId: number; operatorId: number }>(
    `select
       a.firm_id as "firmId", s.staff_id as "staffId",
       (select min(staff_id) from staff where role = 'operator') as "operatorId"
     from advisors a
     join staff s on s.firm_id = a.firm_id and s.role = 'compliance_officer'
     where a.advisor_id = $1
     limit 1`,
    [advisor.id],
  );
  const [firmId, staffId, operatorId] = [Number(row?.firmId), String(row?.staffId), String(row?.operatorId)];
  await database.asOwner('update api_keys set rate_per_second = null, burst = null');
  await database.asOwner(
    `insert into advisors (firm_id, name, email, time_zone, password_hash, date_time_created)
     select firm_id, 'Robin Number ' || n, n || '@stage.example', time_zone, '', date_time_created
     from advisors, generate_series(1, $2) n
     where advisor_id = $1`,
    [advisor.id, colleagues],
  );
  const { groupId, phones } = await fillBook(deployment, deps, advisor.id);
  for (let version = 0; version < lexiconVersions; version++)
    await setLexicon(deps, firmId, JSON.stringify(fullLexicon(version)));
  const written = await writeReplies(deployment, deps, { from: phones[writer] ?? '', to: advisor.textingNumber ?? '' });
  // A node does it, too: on a busy machine either may take longer than a statement may.
  const indexed = () =>
    indexArchive(deps).then(
      () => true,
      () => false,
    );
  await until('the archive is indexed', indexed, indexMs);
  await addTwilio(deployment);
  const origin = `http://127.0.0.1:${nodes[0]?.program.port}`;
  const token = await command(deployment.env, ['token', '--advisor', advisor.email]);
  const headers = {
    app: await signIn({ origin, publicUrl }, appDoor, { advisorId: String(advisor.id) }),
    console: await signIn({ origin, publicUrl }, consoleDoor, { staffId, next: '/console' }),
    operator: await signIn({ origin, publicUrl }, consoleDoor, { staffId: operatorId, next: '/console' }),
    partner: { authorization: `Bearer ${token.trim()}`, 'x-api-key': apiKey },
  };
  const { routes } = await (await fetch(`http://127.0.0.1:${nodes[0]?.probePort}`)).json();
  return { nodes, advisor, groupId, phones, ...written, headers, client, routes };
}

async function startProbed({ env }: Deployment): Promise<Node> {
  const probePort = await freePort();
  const probe = new URL('turns-probe.ts', import.meta.url).href;
  const probed = { NODE_OPTIONS: `--import ${probe}`, TURNS_PORT: String(probePort) };
  const program = await startServer({ ...env, ...probed, PUBLIC_URL: publicUrl });
  return { program, probePort };
}

/** Everybody in the book has accepted, and is in the group. */
async function fillBook({ database }: Deployment, deps: Deps, advisorId: number) {
  const contacts = startImport(deps, advisorId, { dryRun: false });
  const indexes = Array.from({ length: people }, (_, index) => index);
  const phones = indexes.map((index) => `+1212555${String(index).padStart(4, '0')}`);
  for (let from = 0; from < people; from += atOnce) {
    const some = phones.slice(from, from + atOnce);
    const rows = some.map((phone, index) => ({ firstName: 'Pat', lastName: `Number ${from + index}`, phone }));
    await contacts.save(rows.map((fields, index) => ({ line: from + index, fields, groups: [] })));
    await setInitialConsent(deps, advisorId, some, 'accepted');
  }
  const groupId = await createGroup(deps, advisorId, { name: 'Everybody' }, 0);
  await database.asOwner(
    `insert into memberships (advisor_id, group_id, contact_id)
     select advisor_id, $2, contact_id
     from contacts
     where advisor_id = $1
     order by contact_id desc
     limit $3`,
    [advisorId, groupId, people],
  );
  return { groupId, phones };
}

async function writeReplies({ database }: Deployment, deps: Deps, numbers: { from: string; to: string }) {
  for (let count = 0; count < longReplies; count++) {
    const reply = { ...numbers, carrierMessageId: randomUUID(), text: longReply, sentAt: new Date() };
    await receiveReply(deps, sandboxSource, reply);
  }
  const [row] = await database.asOwner<Pick<Stage, 'memberId' | 'replyId' | 'entryNumber' | 'reviewId'>>(
    `select
       r.member_id::integer as "memberId", min(r.reply_id)::integer as "replyId",
       max(r.archive_number)::integer as "entryNumber",
       (select max(w.review_id) from reviews w where w.member_id = r.member_id)::integer as "reviewId"
     from replies r
     join members m using (advisor_id, member_id)
     where m.phone = $1
     group by r.member_id`,
    [numbers.from],
  );
  if (!row) throw new Error('Nobody has written.');
  return row;
}

async function addTwilio({ env }: Deployment): Promise<void> {
  const standIn = await startStandIn();
  const settings = JSON.stringify(twilioSettings(standIn));
  await command(env, ['carriers', 'add', 'http', '--kind', 'twilio', '--settings', '-'], settings);
  await standIn.stop();
}

/** What the requests of somebody's browser have. */
export async function signIn(
  { origin, publicUrl }: { origin: string; publicUrl: string },
  { path, api }: { path: string; api: string },
  fields: Record<string, string>,
): Promise<Record<string, string>> {
  const visitor = new Visitor(origin, { headers: { origin: publicUrl } });
  await visitor.get(path);
  await visitor.post(`${path}/sandbox`, fields);
  const { formToken } = (await visitor.get(`${api}/session`)).body;
  return { cookie: visitor.cookies.sentTo(`${api}/session`), 'x-form-token': formToken, origin: publicUrl };
}
