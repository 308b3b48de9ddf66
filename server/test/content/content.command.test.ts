import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listKnownContent } from '../../src/domain/content/content.ts';
import { runCommand } from '../support/commands.ts';
import type { CommandResult } from '../support/programs.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('assent content', () => {
  let world: World;
  let folder: string;
  let site: Server;
  let at: string;
  let asked: string[] = [];
  /** The site's pages: a body, or a whole answer. */
  const pages = new Map<
    string,
    string | Buffer | { status?: number; type?: string; location?: string; body?: string }
  >();

  before(async () => {
    world = await makeWorld();
    folder = mkdtempSync(join(tmpdir(), 'assent-content-'));
    site = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      const page = pages.get(path) ?? { status: 404 };
      const {
        status = 200,
        type = 'text/html',
        location,
        body = '',
      } = typeof page === 'string' || Buffer.isBuffer(page) ? { body: page } : page;
      response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(async () => {
    site.close().closeAllConnections();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (allowed = '127.0.0.1') => ({
    DATABASE_URL: world.database.url,
    ASSENT_DATA_DIR: folder,
    OUTBOUND_ALLOWED_NETWORKS: allowed,
  });
  const run = (...args: string[]): Promise<CommandResult> => runCommand(['content', ...args], env());

  function sync(source: string, ...options: string[]): Promise<CommandResult> {
    asked = [];
    return run('sync', source, ...options);
  }

  async function knownOf(source: string | null, firmId: number | null = null): Promise<Record<string, string>> {
    const known = await listKnownContent(world.deps, { firmId, source });
    return Object.fromEntries([...known].map(([url, { status }]) => [url.replace(at, ''), status]).sort());
  }

  test('import reads JSON lines and CSV, reports refused lines, and changes nothing when run again', async () => {
    const file = join(folder, 'content.ndjson');
    const line = (title: string, more = {}) =>
      JSON.stringify({ type: 'WebContent', title, url: `https://firm.example/${title}`, ...more });
    const lines = [line('one'), line('two', { type: 'Emails', keywords: 'a; b', dateTimePublished: '2026-03-01' })];
    const bad = ['nonsense', line('three', { type: 'Scroll' }), line('four', { url: 'ftp://firm.example/' }), line('')];
    writeFileSync(file, [...lines, ...bad].join('\n'));
    const first = await run('import', file);
    assert.equal(first.status, 1, 'some lines were refused');
    assert.match(first.stderr, /Added 2, changed 0, unchanged 0, refused 4\./);
    assert.match(first.stdout, /^line 3: refused: it is not JSON\nline 4: refused: type must be one of WebContent/);
    assert.match(first.stdout, /\nline 5: refused: url .*\nline 6: refused: title .*\n$/);

    writeFileSync(file, [line('one', { summary: 'New' }), lines[1]].join('\n'));
    const second = await run('import', file);
    assert.equal(second.status, 0, second.stderr);
    assert.equal(second.stdout, '');
    assert.match(second.stderr, /Added 0, changed 1, unchanged 1, refused 0\./);

    const firmId = world.ann.advisor.firmId;
    writeFileSync(join(folder, 'content.csv'), 'Type,Title,Link\nPrint,Flyer,https://firm.example/flyer\n');
    const third = await run('import', join(folder, 'content.csv'), '--firm', String(firmId));
    assert.match(third.stderr, /Added 1, changed 0, unchanged 0, refused 0\./);
    assert.deepEqual(await knownOf(null, firmId), { 'https://firm.example/flyer': 'published' });
    assert.deepEqual(Object.keys(await knownOf(null)), ['https://firm.example/one', 'https://firm.example/two']);
  });

  test('a wrong call exits 2, an unreadable source exits 1, each with one line', async () => {
    const page = join(folder, 'page.html');
    writeFileSync(page, '<html><head><title>No feed</title></head></html>');
    pages.set('/gone.xml', { status: 410 });
    pages.set('/private.xml', '<rss><channel/></rss>');
    const wrong: [string[], number, RegExp, allowed?: string][] = [
      [['import', page], 2, /neither \.ndjson nor \.csv/],
      [['sync', page, '--type', 'Scroll'], 2, /--type must be one of WebContent/],
      [['sync', page], 1, /page\.html: it is neither a feed nor a sitemap/],
      [['sync', `${at}/gone.xml`], 1, /gone\.xml: it answers 410/],
      [
        ['sync', `${at}/private.xml`],
        1,
        /127\.0\.0\.1 is not a public address: allow it with OUTBOUND_ALLOWED_NETWORKS\./,
        '',
      ],
    ];
    asked = [];
    await Promise.all(
      wrong.map(async ([args, status, expected, allowed]) => {
        const said = await runCommand(['content', ...args], env(allowed));
        assert.equal(said.status, status, `${args.join(' ')}: ${said.stderr}`);
        assert.match(said.stderr, expected);
        assert.doesNotMatch(said.stderr, /^\s+at /m);
        assert.equal(said.stdout, '');
      }),
    );
    assert.deepEqual(asked, ['/gone.xml']);
  });

  test('sync of a feed adds and changes the listed entries, and keeps those no longer listed', async () => {
    const item = (title: string, link: string) => `<item><title>${title}</title><link>${link}</link></item>`;
    const feed = (...items: string[]) => `<rss><channel>${items.join('')}</channel></rss>`;
    const source = `${at}/feed`;
    pages.set('/feed', { status: 301, location: '/moved/feed' });
    pages.set('/moved/feed', {
      type: 'application/rss+xml',
      body: feed(item('One', 'one'), item('Two \u009b2J\u202e', '/two'), item('No link', '')),
    });
    const first = await run('sync', source, '--type', 'SocialPosts');
    assert.equal(first.status, 1);
    assert.equal(
      first.stdout,
      `refused: No link: it has no link to a web page\nadded: One (${at}/moved/one)\nadded: Two 2J� (${at}/two)\n`,
    );
    assert.match(first.stderr, /Added 2, changed 0, unchanged 0, refused 1\.\n/);

    pages.set('/moved/feed', feed(item('One and a half', 'one'), item('Three', '/three')));
    const second = await run('sync', source, '--type', 'SocialPosts', '--json');
    assert.equal(second.status, 0, second.stderr);
    assert.deepEqual(
      second.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { result: 'changed', title: 'One and a half', url: `${at}/moved/one` },
        { result: 'added', title: 'Three', url: `${at}/three` },
      ],
    );
    assert.deepEqual(await knownOf(source), { '/moved/one': 'published', '/three': 'published', '/two': 'published' });
  });

  test('sync of a sitemap reads each page for its title, and again only after a change', async () => {
    const source = `${at}/sitemap.xml`;
    const map = (...urls: [path: string, lastmod?: string][]) =>
      `<urlset>${urls.map(([path, lastmod]) => `<url><loc>${at}${path}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`).join('')}</urlset>`;
    const page = (title: string) =>
      `<html><head><title>${title}</title><meta name="description" content="About ${title}"></head></html>`;
    pages.set(
      '/sitemap.xml',
      `<sitemapindex><sitemap><loc>${at}/a.xml.gz</loc></sitemap><sitemap><loc>${at}/b.xml</loc></sitemap></sitemapindex>`,
    );
    pages.set('/a.xml.gz', gzipSync(map(['/a', '2026-01-01'], ['/b'], ['/c'])));
    pages.set('/b.xml', map(['/lost'], ['/paper.pdf'], ['/untitled'], ['/long']));
    pages.set('/paper.pdf', { type: 'application/pdf', body: 'PDF' });
    pages.set('/untitled', '<html><body>Hello</body></html>');
    pages.set('/long', page('Long').replace('</head>', `</head>${'x'.repeat(3_000_000)}`));
    for (const name of ['a', 'b', 'c']) pages.set(`/${name}`, page(name.toUpperCase()));

    const first = await run('sync', source);
    assert.equal(first.status, 1);
    assert.deepEqual(first.stdout.trim().split('\n').sort(), [
      `added: A (${at}/a)`,
      `added: B (${at}/b)`,
      `added: C (${at}/c)`,
      `added: Long (${at}/long)`,
      `refused: ${at}/lost: it answers 404`,
      `refused: ${at}/paper.pdf: it is not a web page`,
      `refused: ${at}/untitled: the page has no title`,
    ]);
    assert.match(first.stderr, /Added 4, changed 0, unchanged 0, refused 3\.\n/);

    // A has changed, B is no longer listed, and the others are unchanged.
    pages.set('/a.xml.gz', gzipSync(map(['/a', '2026-02-01'], ['/c'], ['/long'])));
    pages.set('/b.xml', map());
    pages.set('/a', page('A, revised'));
    const second = await sync(source);
    assert.equal(second.status, 0);
    assert.equal(second.stdout, `changed: A, revised (${at}/a)\n`);
    assert.deepEqual(asked, ['/sitemap.xml', '/a.xml.gz', '/b.xml', '/a']);
    assert.match(
      second.stderr,
      /Added 0, changed 1, unchanged 2, refused 0\. No longer listed: 1, which --archive-missing/,
    );
    assert.equal((await knownOf(source))['/b'], 'published');

    // A sitemap that can't be read might list the page that seems to be missing.
    pages.set('/b.xml', { status: 500 });
    const partial = await sync(source, '--archive-missing');
    assert.match(partial.stdout, /^refused: .*b\.xml: it answers 500\n$/);
    assert.match(partial.stderr, /Nothing is archived/);
    assert.equal((await knownOf(source))['/b'], 'published');

    pages.set('/b.xml', map(['/d'], ['/e']));
    pages.set('/d', page('D')).set('/e', page('E'));
    const third = await sync(source, '--titles-max', '1', '--archive-missing');
    assert.match(third.stdout, new RegExp(`^added: (D|E) \\(${at}/[de]\\)\\narchived: ${at}/b\\n$`));
    assert.match(third.stderr, /Added 1, changed 0, unchanged 3, refused 0\. Archived 1\. Left for the next run: 1\./);

    // A page that is listed again is published again, and the rest is done.
    pages.set('/b.xml', map(['/d'], ['/e'], ['/b']));
    const fourth = await sync(source);
    assert.match(fourth.stderr, /Added 1, changed 1, unchanged 4, refused 0\.\n/);
    assert.deepEqual(new Set(Object.values(await knownOf(source))), new Set(['published']));
  });

  test('sync backs off from a site that is rate limiting, and an empty listing archives nothing', async () => {
    const source = `${at}/busy.xml`;
    const paths = Array.from({ length: 30 }, (_, index) => `/busy/${index}`);
    pages.set('/busy.xml', `<urlset>${paths.map((path) => `<url><loc>${at}${path}</loc></url>`).join('')}</urlset>`);
    for (const path of paths) pages.set(path, { status: 429 });
    pages.set('/busy/0', '<title>Quick</title>');
    const busy = await sync(source);
    assert.ok(asked.length < 10, `${asked.length} requests`);
    assert.match(busy.stderr, /Added 1, changed 0, unchanged 0, refused \d\. Left for the next run: \d\d\./);
    pages.set('/busy.xml', '<urlset/>');
    const empty = await sync(source, '--archive-missing');
    assert.match(empty.stderr, /Nothing is archived/);
    assert.deepEqual(await knownOf(source), { '/busy/0': 'published' });
  });

  test('sync reads a file, too, and a page belongs to the last source that lists it', async () => {
    const file = join(folder, 'feed.xml');
    writeFileSync(
      file,
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Own</title><link href="${at}/own"/></entry></feed>`,
    );
    assert.equal((await sync(file, '--status', 'draft')).stdout, `added: Own (${at}/own)\n`);
    assert.deepEqual(await knownOf(file), { '/own': 'draft' });
    pages.set('/other.xml', `<rss><channel><item><title>Own</title><link>${at}/own</link></item></channel></rss>`);
    assert.equal((await sync(`${at}/other.xml`)).stdout, `changed: Own (${at}/own)\n`);
    assert.deepEqual(await knownOf(file), {});
  });
});
