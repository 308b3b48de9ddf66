import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './programs.ts';
import { until } from './waiting.ts';

const program = '/usr/bin/radicale';
export const skip = existsSync(program) ? false : `there is no ${program}`;

const username = 'avery';
const password = 'päss:word';
/** Radicale takes a second to list a book of 1,000 cards, and half a minute for 10,000. */
const cardsPerBook = 500;
/** Radicale takes half a millisecond to read a card for the first time, so many cards come with their cache. */
const cachedFrom = 1_000;

/** A real CardDAV server with one account, whose address books the test fills and changes. */
export type Radicale = {
  /** The addresses of the server, the account and the first address book. */
  url: string;
  principalUrl: string;
  bookUrl: string;
  username: string;
  password: string;
  /** A card's address: in its book if the server started with it, otherwise in the first book. */
  cardUrl(uid: string): string;
  /** Writes a card as any client does. */
  put(uid: string, vcard: string): Promise<void>;
  remove(uid: string): Promise<void>;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
};

/** The n-th card: a person with their own number and email. */
export function vcardOf(uid: string, n: number): string {
  const digits = String(n).padStart(7, '0');
  return vcard(uid, [
    `FN:Person Number${n}`,
    `N:Number${n};Person;;;`,
    `EMAIL:person${n}@example.org`,
    `TEL;TYPE=CELL:(212) ${digits.slice(0, 3)}-${digits.slice(3)}`,
  ]);
}

export function vcard(uid: string, lines: string[]): string {
  return `${['BEGIN:VCARD', 'VERSION:3.0', `UID:${uid}`, ...lines, 'END:VCARD'].join('\r\n')}\r\n`;
}

/** Starts a server with cards: `card-0` has the number +12122000000, and so on. Each book has 500. */
export async function startRadicale({ cards = 0 } = {}): Promise<Radicale> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-radicale-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  writeBooks(folder, cards);
  writeFileSync(join(folder, 'users'), `${username}:${password}\n`);
  writeFileSync(join(folder, 'config'), settings(folder, port));
  let running = await start(folder, url);

  function cardUrl(uid: string): string {
    const n = Number(/^card-(\d+)$/.exec(uid)?.[1] ?? cards);
    return `${url}${username}/${bookName(n < cards ? n - (n % cardsPerBook) : 0)}/${encodeURIComponent(uid)}.vcf`;
  }

  async function send(method: string, uid: string, body?: string): Promise<void> {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'text/vcard; charset=utf-8' };
    const answer = await fetch(cardUrl(uid), { method, headers, body });
    if (!answer.ok)
      throw new Error(`Radicale answered ${answer.status} to ${method} of ${uid}: ${await answer.text()}`);
    await answer.body?.cancel();
  }

  return {
    url,
    principalUrl: `${url}${username}/`,
    bookUrl: `${url}${username}/${bookName(0)}/`,
    username,
    password,
    cardUrl,
    put: (uid, text) => send('PUT', uid, text),
    remove: (uid) => send('DELETE', uid),
    goDown: () => running.end(),
    async comeBack() {
      running = await start(folder, url);
    },
    async stop() {
      await running.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settings(folder: string, port: number): string {
  return `[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${join(folder, 'users')}
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${join(folder, 'data')}
[web]
type = none
[logging]
level = warning
`;
}

async function start(folder: string, url: string) {
  const child = spawn(program, ['--config', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const kill = () => void child.kill();
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`Radicale ended: ${said}`);
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => null);
    await answer?.body?.cancel();
    return answer !== null;
  };
  await until('Radicale answers', answers);
  return {
    async end(): Promise<void> {
      process.removeListener('exit', kill);
      kill();
      await ended;
    },
  };
}

/** In Radicale's own storage format. */
function writeBooks(folder: string, count: number): void {
  const version = count >= cachedFrom ? cacheVersion() : null;
  for (let first = 0; first === 0 || first < count; first += cardsPerBook) {
    const name = bookName(first);
    const path = join(folder, 'data', 'collection-root', username, name);
    const cache = join(path, '.Radicale.cache', 'item');
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(path, '.Radicale.props'), JSON.stringify({ tag: 'VADDRESSBOOK', 'D:displayname': name }));
    for (let n = first; n < Math.min(count, first + cardsPerBook); n += 1) {
      const uid = `card-${n}`;
      const text = vcardOf(uid, 2_000_000 + n);
      writeFileSync(join(path, `${uid}.vcf`), text);
      if (version !== null) writeFileSync(join(cache, `${uid}.vcf`), cacheEntry(version, uid, text));
    }
  }
}

/** Books are named after their first card. */
function bookName(first: number): string {
  return first === 0 ? 'clients' : `clients-${first}`;
}

/** The cache is valid only for the versions that wrote it. */
function cacheVersion(): string {
  const question = 'from radicale.storage import CACHE_VERSION; print(CACHE_VERSION.decode(), end="")';
  return spawnSync('/usr/bin/python3', ['-c', question], { encoding: 'utf8' }).stdout;
}

/** A tuple in Python's oldest pickle format, which is text. */
function cacheEntry(version: string, uid: string, text: string): string {
  const hash = (of: string) => createHash('sha256').update(of).digest('hex');
  const texts = [hash(version + text), uid, `"${hash(text)}"`, text, 'VCARD', ''];
  const escaped = texts.map((each) =>
    each.replace(/[\\\n\r]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
  return `(${escaped.map((each) => `V${each}\n`).join('')}I-62135596800\nI253402300800\nt.`;
}
