import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decoded, unzipped } from '../../../../src/adapters/files/content/encodings.ts';
import { SourceFault } from '../../../../src/adapters/files/content/faults.ts';
import {
  entriesMax,
  type FeedEntry,
  type Listing,
  readListing,
} from '../../../../src/adapters/files/content/listings.ts';
import { readWebPageHead } from '../../../../src/adapters/files/content/web-page-head.ts';
import { cpuMs } from '../../../support/cpu.ts';

const at = 'https://firm.example/blog/feed.xml';

function feedOf(document: string, address: string | undefined = at): FeedEntry[] {
  const listing = readListing(document, address);
  assert.equal(listing.kind, 'feed');
  return (listing as Extract<Listing, { kind: 'feed' }>).entries;
}

const rss = (items: string, head = '') =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Blog</title>${head}${items}</channel></rss>`;

suite('a feed', () => {
  test('of RSS 2.0 has titles, links, plain summaries, categories and dates', () => {
    const [entry, ...others] = feedOf(`<?xml version="1.0" encoding="UTF-8"?>
      <!-- made by hand -->
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel><title>Blog</title><link>https://firm.example/</link><atom:link href="${at}" rel="self"/>
        <image><title>Logo</title><link>https://firm.example/logo</link></image>
        <item>
          <title>Retirement &amp;#8211; what to do &amp;amp; when</title>
          <atom:link href="https://elsewhere.example/"/><media:title>Not this</media:title>
          <link>https://firm.example/blog/retire?a=1&amp;b=2</link>
          <guid isPermaLink="false">tag:1</guid>
          <description><![CDATA[<style>p { color: red }</style><p>First&nbsp;paragraph.</p><p>Second <b>para</b>graph &lt; third.<script>alert(1)</script></p>]]></description>
          <category>Retirement</category><category><![CDATA[Taxes & fees]]></category><category>Retirement</category>
          <dc:subject>Planning</dc:subject>
          <pubDate>Tue, 03 Mar 2026 09:05:00 -0500</pubDate>
        </item>
      </channel></rss>`);
    assert.deepEqual(others, []);
    assert.deepEqual(entry, {
      url: 'https://firm.example/blog/retire?a=1&b=2',
      title: 'Retirement – what to do & when',
      summary: 'First paragraph. Second paragraph < third.',
      keywords: ['Retirement', 'Taxes & fees', 'Planning'],
      dateTimePublished: new Date('2026-03-03T14:05:00Z'),
    });
  });

  test('of RSS 1.0 is read like RSS 2.0', () => {
    const entries =
      feedOf(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="https://firm.example/"><title>Blog</title><link>https://firm.example/</link>
        <items><rdf:Seq><rdf:li resource="https://firm.example/a"/></rdf:Seq></items></channel>
      <item rdf:about="https://firm.example/a"><title>A</title><link>https://firm.example/a</link>
        <description>Text</description><dc:date>2026-03-03T10:00:00+01:00</dc:date><dc:subject>Bonds</dc:subject></item>
      <item rdf:about="https://firm.example/b"><title>B</title></item>
      </rdf:RDF>`);
    assert.deepEqual(entries, [
      {
        url: 'https://firm.example/a',
        title: 'A',
        summary: 'Text',
        keywords: ['Bonds'],
        dateTimePublished: new Date('2026-03-03T09:00:00Z'),
      },
      { url: 'https://firm.example/b', title: 'B', summary: null, keywords: [], dateTimePublished: null },
    ]);
  });

  test('of Atom is read by the type of each text and the base of each link, with or without a prefix', () => {
    const feed = (
      prefix: string,
    ) => `<${prefix}feed xmlns${prefix && ':a'}="http://www.w3.org/2005/Atom" xml:base="/news/">
      <${prefix}title>News</${prefix}title>
      <${prefix}entry xml:base="2026/">
        <${prefix}title type="html">&lt;i&gt;One&lt;/i&gt; &amp;amp; only</${prefix}title>
        <${prefix}link rel="edit" href="https://firm.example/edit"/>
        <${prefix}link rel="alternate" type="application/pdf" href="one.pdf"/>
        <${prefix}link type="text/html" href="one"/>
        <${prefix}source><${prefix}title>Not this</${prefix}title></${prefix}source>
        <${prefix}summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A <b>bo</b>ld</p><p>1 &lt; 2</p></div></${prefix}summary>
        <${prefix}category term="tax" label="Taxes"/><${prefix}category term="bonds"/>
        <${prefix}published>2026-01-02T03:04:05.678Z</${prefix}published><${prefix}updated>2026-02-02T00:00:00Z</${prefix}updated>
      </${prefix}entry>
      <${prefix}entry><${prefix}title>Tags like &lt;b&gt; stay</${prefix}title><${prefix}id>https://firm.example/two</${prefix}id>
        <${prefix}content>Plain</${prefix}content><${prefix}updated>2026-02-02</${prefix}updated></${prefix}entry>
      </${prefix}feed>`;
    for (const prefix of ['', 'a:'])
      assert.deepEqual(feedOf(feed(prefix)), [
        {
          url: 'https://firm.example/news/2026/one',
          title: 'One & only',
          summary: 'A bold 1 < 2',
          keywords: ['Taxes', 'bonds'],
          dateTimePublished: new Date('2026-01-02T03:04:05.678Z'),
        },
        {
          url: 'https://firm.example/two',
          title: 'Tags like <b> stay',
          summary: 'Plain',
          keywords: [],
          dateTimePublished: new Date('2026-02-02T00:00:00Z'),
        },
      ]);
  });

  test('resolves relative links against its address, or in a file against the site’s link', () => {
    const items = '<item><title>A</title><link>../a</link></item>';
    assert.equal(feedOf(rss(items))[0]?.url, 'https://firm.example/a');
    const file = readListing(rss(items, '<link>https://site.example/x/y</link>'));
    assert.equal((file.entries[0] as FeedEntry).url, 'https://site.example/a');
    assert.deepEqual(readListing(rss(items)).refused, [{ what: 'A', why: 'it has no link to a web page' }]);
  });

  test('loses only the items that are bad, and uses the beginning of the text as a missing title', () => {
    const { entries, refused } = readListing(
      rss(`<item><title>No link</title></item>
        <item><title>Script</title><link>javascript:alert(1)</link></item>
        <item><title>Password</title><link>https://someone:secret@firm.example/</link></item>
        <item><link>/empty</link></item>
        <item><link>/note</link><description>${'A note that goes on. '.repeat(20)}</description></item>
        <item><title>First</title><link>/same</link></item><item><title>Second</title><link>/same</link></item>
        <item><title>By guid</title><guid>https://firm.example/guid</guid></item>
        <item><title>Unescaped & <b>bold</title><link>/loose</link></item>`),
      at,
    );
    assert.deepEqual(
      (entries as FeedEntry[]).map(({ title, url }) => [title, url]),
      [
        [
          'A note that goes on. A note that goes on. A note that goes on. A note that goes…',
          'https://firm.example/note',
        ],
        ['First', 'https://firm.example/same'],
        ['By guid', 'https://firm.example/guid'],
        ['Unescaped & bold', 'https://firm.example/loose'],
      ],
    );
    assert.deepEqual(
      refused.map(({ what }) => what),
      ['No link', 'Script', 'Password', 'https://firm.example/empty'],
    );
  });

  test('is cut to the limits of content, at the end of a word', () => {
    const words = 'wordy '.repeat(1_000);
    const categories = Array.from({ length: 80 }, (_, index) => `<category>${index} ${words}</category>`).join('');
    const [entry] = feedOf(
      rss(`<item><title>${words}</title><link>/a</link><description>${words}</description>${categories}</item>`),
    );
    assert.ok(entry && /^(wordy )*wordy…$/.test(entry.title) && [...entry.title].length <= 500);
    assert.ok(/^(wordy )*wordy…$/.test(entry.summary ?? ''));
    const length = [...(entry.summary ?? '')].length;
    assert.ok(length > 1_990 && length <= 2_000, `${length}`);
    assert.ok(entry.keywords.length <= 50 && entry.keywords.every((keyword) => [...keyword].length <= 100));
  });

  for (const [written, expected] of [
    ['Tue, 03 Mar 2026 09:05:00 GMT', '2026-03-03T09:05:00.000Z'],
    ['3 Mar 26 09:05 EST', '2026-03-03T14:05:00.000Z'],
    ['Tuesday, 3 March 2026 09:05:00 +0530', '2026-03-03T03:35:00.000Z'],
    ['2026-03-03T09:05:00.1239+00:00', '2026-03-03T09:05:00.123Z'],
    ['2026-03-03 09:05', '2026-03-03T09:05:00.000Z'],
    ['2026-03-03', '2026-03-03T00:00:00.000Z'],
    ['2026-03', '2026-03-01T00:00:00.000Z'],
    ['2024-02-29T23:59:60Z', '2024-02-29T23:59:59.000Z'],
    ['2026-02-29', null],
    ['Tue, 31 Feb 2026 09:05:00 GMT', null],
    ['2026-03-03T25:00:00Z', null],
    ['last Tuesday', null],
    ['', null],
  ] as const)
    test(`dated “${written}” has ${expected ?? 'no date'}`, () => {
      const [entry] = feedOf(rss(`<item><title>A</title><link>/a</link><pubDate>${written}</pubDate></item>`));
      assert.equal(entry?.dateTimePublished?.toISOString() ?? null, expected);
    });
});

suite('a sitemap', () => {
  test('has its pages and when they changed, and ignores the rest', () => {
    assert.deepEqual(
      readListing(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
        <url><loc> https://firm.example/a?x=1&amp;y=2 </loc><lastmod>2026-03-03T10:00:00+00:00</lastmod><priority>0.5</priority>
          <image:image><image:loc>https://firm.example/a.png</image:loc></image:image></url>
        <url><loc>https://firm.example/b</loc></url><url><loc>https://firm.example/b</loc></url>
        <url><loc>ftp://firm.example/c</loc></url></urlset>`),
      {
        kind: 'sitemap',
        entries: [
          { url: 'https://firm.example/a?x=1&y=2', dateTimePublished: new Date('2026-03-03T10:00:00Z') },
          { url: 'https://firm.example/b', dateTimePublished: null },
        ],
        refused: [{ what: 'ftp://firm.example/c', why: 'it is not the address of a web page' }],
        isWhole: true,
      },
    );
  });

  test('that is an index names its sitemaps', () => {
    const { kind, entries } = readListing(
      '<sitemapindex><sitemap><loc>https://firm.example/1.xml.gz</loc></sitemap></sitemapindex>',
    );
    assert.deepEqual([kind, entries.map(({ url }) => url)], ['index', ['https://firm.example/1.xml.gz']]);
  });

  test('is read up to a limit, and reports that there is more', () => {
    const urls = (count: number) => {
      const all = Array.from({ length: count }, (_, index) => `<url><loc>https://firm.example/${index}</loc></url>`);
      return readListing(`<urlset>${all.join('')}</urlset>`);
    };
    const [full, over] = [urls(entriesMax), urls(entriesMax + 1)];
    assert.deepEqual([full.entries.length, full.isWhole, full.refused.length], [entriesMax, true, 0]);
    assert.deepEqual([over.entries.length, over.isWhole, over.refused.length], [entriesMax, false, 1]);
  });
});

suite('a document', () => {
  test('that is neither a feed nor a sitemap, or is cut off, is refused as a whole', () => {
    const sitemap = '<urlset><url><loc>https://firm.example/a</loc></url></urlset>';
    assert.equal(readListing(sitemap).entries.length, 1);
    for (const document of [
      '',
      'hello',
      '{"items": []}',
      '<!doctype html><html><head><title>Page</title></head></html>',
      '<opml/>',
      sitemap.slice(0, -1),
      sitemap.slice(0, 40),
      '<rss><channel><item><title><![CDATA[ never closed </title></item></channel></rss>',
      '<rss><!-- </rss>',
    ])
      assert.throws(() => readListing(document), SourceFault, document);
  });

  test('doesn’t expand entities that it defines', () => {
    const entities = '<!DOCTYPE rss [<!ENTITY a "laugh"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const [entry] = feedOf(
      entities + rss('<item><title>T</title><link>/a</link><description>&b;&f;</description></item>').slice(21),
    );
    assert.equal(entry?.summary, '&b;&f;');
  });

  test('that is hostile is read in linear time or refused', async () => {
    const hostile: Record<string, string> = {
      'deep nesting': `<rss>${'<a>'.repeat(1_000_000)}`,
      'deep nesting with other end tags': `<rss>${'<a>'.repeat(60)}${'</b>'.repeat(1_000_000)}`,
      'many tags': `<rss>${'<a/>'.repeat(1_000_000)}</rss>`,
      'many children': `<rss><item><link>https://a.example/</link>${'<category>a</category>'.repeat(200_000)}</item></rss>`,
      'open CDATA': `<rss><item><title><![CDATA[${']]'.repeat(2_000_000)}`,
      'open comments': `<rss>${'<!--'.repeat(1_000_000)}`,
      'open tags': '<'.repeat(4_000_000),
      'many attributes': `<rss ${Array.from({ length: 300_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`,
      ampersands: `<rss>${'&'.repeat(2_000_000)}</rss>`,
      'invisible text': rss(`<item><title>a${'\u200b'.repeat(2_000_000)}</title></item>`),
      'deeply nested HTML': rss(`<item><title>${'&lt;b&gt;'.repeat(20_000)}</title></item>`.repeat(20)),
    };
    for (const [name, document] of Object.entries(hostile)) {
      const tookMs = await cpuMs(() => {
        try {
          readListing(document, at);
        } catch (error) {
          assert.ok(error instanceof SourceFault, name);
        }
      });
      // Each takes a fraction of a second; quadratic time would be minutes.
      assert.ok(tookMs < 10_000, `${name}: ${tookMs} ms`);
    }
  });

  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><rss>é – “x”</rss>`;
  const latin1 = Buffer.from(`<?xml version='1.0' encoding='ISO-8859-1'?><rss>\xe9 \x96 \x93x\x94</rss>`, 'latin1');
  for (const [name, bytes, type] of [
    ['UTF-8', Buffer.from(declared('utf-8')), null],
    ['UTF-8 with a mark, declared as something else', Buffer.from(`\ufeff${declared('iso-8859-1')}`), null],
    ['UTF-8 that declares an unknown encoding', Buffer.from(declared('x-klingon')), null],
    ['UTF-8 that declares UTF-16', Buffer.from(declared('utf-16')), null],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${declared('utf-16')}`, 'utf16le'), null],
    ['UTF-16 without a mark', Buffer.from(declared('utf-16'), 'utf16le').swap16(), null],
    ['ISO 8859-1, as declared', latin1, null],
    [
      'Windows-1252 by its content type',
      Buffer.from(latin1.toString('latin1').slice(43), 'latin1'),
      'text/xml; charset="windows-1252"',
    ],
    ['UTF-8 by its content type', Buffer.from(declared('iso-8859-1')), 'application/xml;charset=utf-8'],
  ] as const)
    test(`in ${name} is decoded`, () => {
      assert.match(decoded(bytes, type), /<rss>é – “x”<\/rss>$/);
    });

  test('that is compressed is decompressed up to a limit', () => {
    const zipped = gzipSync('x'.repeat(1_000));
    assert.equal(unzipped(zipped, 1_000).length, 1_000);
    assert.throws(() => unzipped(zipped, 999), /more than 999 bytes/);
    assert.throws(() => unzipped(zipped.subarray(0, 15), 1_000), SourceFault);
    assert.equal(unzipped(Buffer.from('plain'), 1_000).toString(), 'plain');
  });
});

suite('a web page', () => {
  for (const [name, html, title, summary] of [
    [
      'by its head',
      '<!doctype html><html><head><title> A\n &amp; B </title><meta name=Description content="C &lt; D"><meta property=og:title content=no></head><body><title>no</title>',
      'A & B',
      'C < D',
    ],
    [
      'by its Open Graph properties, if there is nothing else',
      '<head><meta property="og:title" content="Shared"><meta property="og:description" content="Text"></head>',
      'Shared',
      'Text',
    ],
    ['but not by an SVG’s title', '<html><body><svg><title>Icon</title></svg>', '', null],
    ['even if it is cut off', '<html><head><title>Half a ti', 'Half a ti', null],
    ['even if scripts contain titles', '<head><script>"<title>no</title>"</script><title>Yes</title>', 'Yes', null],
  ] as const)
    test(`is known ${name}`, () => assert.deepEqual(readWebPageHead(html), { title, summary }));
});
