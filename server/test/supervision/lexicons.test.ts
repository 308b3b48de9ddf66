import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { takeTurn } from '../../src/domain/shared/turns.ts';
import { type Detector, detectors } from '../../src/domain/supervision/detectors.ts';
import { hideNumbers } from '../../src/domain/supervision/findings.ts';
import { matcherOf, type Rule } from '../../src/domain/supervision/lexicon-matching.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { readText } from '../../src/domain/supervision/readings.ts';

function finds(detector: Detector, text: string): string | null {
  return detectors[detector](readText(text));
}

type Cases = { found: string[]; not: string[] };

const cases: Record<Detector, Cases> = {
  card_number: {
    found: [
      'My card is 4111 1111 1111 1111, exp 12/27',
      '4111-1111-1111-1111',
      '4111111111111111',
      'visa4111111111111111 thanks',
      '4111.1111.1111.1111',
      '4111  1111\n1111   1111',
      '4111 – 1111 – 1111 – 1111',
      'use 5500 0000 0000 0004 123',
      'I have 5 cards, one is 5555-5555-5555-4444',
      '2 4111-1111-1111-1111',
      '3782 822463 10005',
      '378282246310005',
      '3056 930902 5904',
      '6011 1111 1111 1117',
      '3530111333300000',
      '4222222222222',
      '6200000000000000000',
      '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
      '４１１１ １１１１ １１１１ １１１１',
      '4111\u200b1111\u200b1111\u200b1111',
      'call 212-555-0123 or charge 4000 0000 0000 0002 please',
      '4111/1111/1111/1111',
      '4111_1111_1111_1111',
      '4111,1111,1111,1111',
      '4111, 1111, 1111, 1111',
      '4111·1111·1111·1111',
      '4111 • 1111 • 1111 • 1111',
      '٤١١١ ١١١١ ١١١١ ١١١١',
      '४१११११११११११११११',
      '④①①①①①①①①①①①①①①①',
    ],
    not: [
      '4111 1111 1111 1112',
      'My account is 4111111111111112',
      'Call me at (212) 555-0123 or +1 646 555 0199',
      '212 555 0123 212 555 0124 646 555 0199',
      '+4915123456789 4',
      '+49 1512 345 6789 12',
      'Policy 1234567890128',
      'Your order 1712345678901-42 has shipped',
      'tracking 9400 1112 0255 5842 6423 22',
      'tracking 94001112025558426423',
      'routing 021000021, account 000123456789',
      '415-555-0123 2024-06-15',
      'At $4,111.11 and $1,111.11 and 1,111 shares of 1,111',
      'Wire 10000000000000 or 20000000000000',
      'see ticket 550e8400-e29b-41d4-a716-446655440000',
      'see ticket 3f6a0c1e-4539-1488-0343-6467a7b8c9d0',
      'see ticket 45391488-0343-6467-a7b8-c9d012345678',
      'see ticket ee1f6206-7360-4743-8443-92b797cdc1cd',
      'a correlation of 0.4539148803436467',
      'eine Korrelation von 0,4539148803436467',
      'At $4,111,111,112 or 1/2/2026, 3/4/2026 and 5/6/2026',
      'We meet on 12/27/2027 at 10:30, suite 4111, 1111 Main St',
    ],
  },
  social_security_number: {
    found: [
      '123-45-6789',
      'My number is 123 45 6789.',
      'ssn:123456789',
      'my social is 123456789 ok?',
      '123456789 is my social security number',
      'Social Security: 123.45.6789',
      'SS# 123456789',
      'soc sec 123 456 789',
      'SSN ١ 123 - 45 - 6789',
      '１２３-４５-６７８９',
      'His is 123‑45‑6789',
      '4 kids, 123-45-6789',
    ],
    not: [
      '000-45-6789',
      '666-45-6789',
      '912-34-5678',
      '123-00-6789',
      '123-45-0000',
      '123456789',
      'account 123456789',
      'routing number 021000021',
      'ZIP 12345-6789',
      'My phone is 212-555-0123 about social security',
      'Call Social Security at 1-800-772-1213',
      '+1 123 45 6789',
      '123-45-6789-0',
      '1-123-45-6789',
      '123 45-6789',
      'Our social media id is 123456789',
      'Social security pays $1,234 to 56,789 people',
      '2024-05-1234',
    ],
  },
  promise_of_returns: {
    found: [
      'This fund has a guaranteed return',
      'GUARANTEED RETURNS of 12%!',
      'Guaranteed\n  annual   return',
      'we guarantee you a 10% return',
      'I guarantee 8 percent a year',
      'guaranteed 12.5% yield',
      '8% guaranteed',
      'I promise you returns of 20%',
      'I swear this stock will double',
      'Your returns are guaranteed',
      'profits guaranteed',
      'guaranteed rate of return',
      'I guarantee you’ll make money',
      'I promise you will double your account in a year',
      'It is guaranteed to go up',
      'You can’t lose.',
      'You cannot lose money on this',
      'You can´t lose with this',
      'you will never lose a dime',
      'It’s a can’t-lose investment',
      'This is risk-free',
      'a risk free way to earn 9%',
      'Rísk-frée inçome',
      'ri\u200bsk free money',
      // Cyrillic а, Greek ο, full width.
      'gu\u0430ranteed returns',
      'd\u03bfuble your money',
      'ｇｕａｒａｎｔｅｅｄ returns',
      'there is no risk',
      'No risk whatsoever!',
      'at zero risk to you',
      'double your money by June',
      'We are doubling your savings',
      'your investment will triple',
      'This stock can only go up',
      'This will make you rich',
      'It’s a sure thing',
      'You won’t regret it: guaranteed profit',
      'Returns are never guaranteed, but double your money here',
    ],
    not: [
      'I guarantee we’ll call you',
      'I guarantee to return your call by noon',
      'I promise to return your call',
      'As promised, the results of your review are attached',
      'Management promised double-digit growth',
      'We guarantee your return call within a day',
      'Past performance does not guarantee future results.',
      'Past performance is no guarantee of future returns',
      'Returns are not guaranteed',
      'We can’t guarantee returns',
      'There is no such thing as a guaranteed return',
      'Nobody can promise you returns',
      'Beware of anyone who promises guaranteed returns',
      'Guaranteed returns are a red flag',
      'No investment is risk-free',
      'Nothing is risk free in this market',
      'The risk-free rate rose to 4.2%',
      'Book a risk-free consultation',
      'No risk, no reward',
      'We have no risk assessment on file for you',
      'We can’t lose you as a client',
      'Let’s not lose sight of the plan, we can’t lose focus',
      'I can’t lose my phone again',
      'Never invest money you can’t lose',
      'Sure thing! See you at ten',
      'I am 100% sure',
      'I 100% guarantee he will be there',
      'Let’s double the meeting length',
      'Double your savings rate this year',
      'At 7% it takes ten years to double your money',
      'I won’t promise to double your money',
      'Your tax return is done, and it’s guaranteed to be on time',
      'A guaranteed income rider may suit you',
      'Rates went up 8% this year',
    ],
  },
  off_channel: {
    found: [
      'text me on my personal',
      'Text me on my personal cell instead',
      'WhatsApp me',
      'whatsapp me at 212 555 0123',
      'please message me on WhatsApp',
      'hit me up on Signal',
      'Reach me on Telegram',
      'Call me on WhatsApp',
      'Let’s take this to Signal',
      'let’s take this conversation to Signal, it’s safer',
      'Can we move this over to WhatsApp?',
      'Switch to Telegram please',
      'Can we chat on WeChat?',
      'We should continue this on iMessage',
      'let’s use WhatsApp',
      'How about WhatsApp?',
      'How about moving to Signal?',
      'Are you on Signal?',
      'Do you have WhatsApp?',
      'what’s your WhatsApp number',
      'Download Signal so we can talk',
      'email me at my gmail',
      'Email me at bob.smith@gmail.com',
      'send the docs to my personal email',
      'Please send it to my gmail',
      'use my personal email',
      'here’s my personal cell: 212 555 0123',
      'I’ll text you from my personal phone',
      'text me on my cell',
      'Text my cell',
      'I’ll WhatsApp you the details',
      'My personal number is 212 555 0123',
      'message me on LinkedIn',
      'DM me',
      'Can’t talk here, WhatsApp me',
      'What’s App me',
      'Wh\u0430ts\u0410pp me',
    ],
    not: [
      'WhatsApp stock is owned by Meta',
      'Meta’s WhatsApp revenue rose',
      'The Fed may signal a change',
      'The Fed will continue to signal cuts',
      'We use moving averages to signal a change in trend',
      'Can we discuss Snap and Discord before the IPO?',
      'Let’s talk about Signal’s business model',
      'Please don’t WhatsApp me',
      'Do not text me on my personal phone',
      'I can’t discuss business on WhatsApp',
      'Find me on LinkedIn',
      'Follow us on Instagram',
      'Telegram is banned there',
      'I sent it to your gmail',
      'We will email you at your personal address',
      'Text me when you get here',
      'Email me at ann@testwealth.example',
      'Call me on my cell',
      'That is a personal matter',
      'A private equity fund',
      'Send it to my assistant',
      'Please send the form to my email.',
      'Text me at my new number',
      'Send it to my personal assistant',
      'My personal view is that rates fall',
      'There is a traffic signal on Main St',
      'Signal me when you are ready to begin',
      'My cell signal is weak',
      'Slack in the labor market is growing',
      'Let’s take this step by step',
      'Let’s take this to the committee',
      'We can move to bonds',
      'Your private key is in the vault',
    ],
  },
};

for (const [detector, { found, not }] of Object.entries(cases) as [Detector, Cases][])
  suite(`the detector ${detector}`, () => {
    for (const text of found) test(`finds it in ${JSON.stringify(text)}`, () => assert.ok(finds(detector, text)));
    for (const text of not)
      test(`finds nothing in ${JSON.stringify(text)}`, () => assert.equal(finds(detector, text), null));
  });

suite('phrases', () => {
  const falcon: Rule = { name: 'Falcon', action: 'hold', phrases: ['Project Falcon', 'café plan', '401(k) swap'] };
  const merger: Rule = { name: 'Merger', action: 'flag', phrases: ['merger', 'project falcon two'] };
  const match = matcherOf([falcon, merger]);
  const rulesIn = (text: string) => match(text).map(({ rule }) => rule);

  test('match whole words, in any case, with or without accents, with any white space in between', () => {
    for (const text of ['project falcon', 'PROJECT  Falcon!', 'Re: (project-falcon)', 'the Project\n\tFalcon memo'])
      assert.deepEqual(rulesIn(text), ['Falcon'], text);
    for (const text of ['CAFE PLAN', 'café\u00a0plan', 'cafe\u0301 plan', 'ca\u200bfé plan'])
      assert.deepEqual(rulesIn(text), ['Falcon'], text);
    assert.deepEqual(rulesIn('a 401(k) swap'), ['Falcon']);
    for (const text of [
      'projects falcon',
      'project falcons',
      'subproject falcon',
      'project. Falcon',
      'mergers',
      'falcon',
    ])
      assert.deepEqual(rulesIn(text), [], text);
  });

  test('all rules that match are reported, each once, with what was found', () => {
    assert.deepEqual(match('Merger: project FALCON two, and project falcon, merger'), [
      { rule: 'Falcon', action: 'hold', found: 'project falcon' },
      { rule: 'Merger', action: 'flag', found: 'merger' },
    ]);
  });
});

test('a card number is hidden wherever it is in a text, and whatever is around its digits', () => {
  const number = '4111111111111111';
  const hidden = '■■■■■■■■■■■■1111';
  for (const length of [0, 1, 979, 980, 990, 996, 999, 1_000, 1_020, 1_990, 5_000])
    for (const filling of [' ', '.', '7 ', '- ', 'so on ', 'so7 '])
      for (const around of ['', ' ', 'x', 'a '])
        for (const [card, shown] of [
          [number, hidden],
          ['4111 1111 1111 1111', '■■■■ ■■■■ ■■■■ 1111'],
        ]) {
          const before = `${filling.repeat(length).slice(0, length)}${around}`;
          if (/\d[ .-]*$/.test(before) && around.trim() === '') continue;
          assert.equal(
            hideNumbers(`${before}${card} z`),
            `${before}${shown} z`,
            `${length} of “${filling}”, then “${around}”`,
          );
        }
  for (const [written, shown] of [
    ['visa4111111111111111', 'visa■■■■■■■■■■■■1111'],
    ['4111/1111/1111/1111', '■■■■/■■■■/■■■■/1111'],
    ['_4111_1111_1111_1111_', '_■■■■_■■■■_■■■■_1111_'],
    ['٤١١١·١١١١·١١١١·١١١١', '■■■■·■■■■·■■■■·١١١١'],
    [`4111${' '.repeat(3_000)}1111 1111 1111`, `■■■■${' '.repeat(3_000)}■■■■ ■■■■ 1111`],
  ] as const)
    assert.equal(hideNumbers(written), shown);
  assert.equal(hideNumbers(`${'so on '.repeat(166)}my SSN is 123456789`), `${'so on '.repeat(166)}my SSN is ■■■■■6789`);
});

test('a text that expands is read whole', () => {
  const match = matcherOf([
    { name: 'Card', action: 'block', detector: 'card_number' },
    { name: 'Falcon', action: 'block', phrases: ['project falcon'] },
  ]);
  for (const piece of ['ﷺ', '㎯', '#', '\u0301\u0323', '각', '😀'])
    for (const secret of [' 4111 1111 1111 1111 ', ' project falcon ']) {
      const padding = piece.repeat((1_600 - secret.length) / piece.length);
      const half = piece.repeat((1_600 - secret.length) / piece.length / 2);
      for (const text of [`${secret}${padding}`, `${padding}${secret}`, `${half}${secret}${half}`])
        assert.equal(match(text).length, 1, `${piece}${secret}`);
    }
});

test('an invalid lexicon is refused with a reason', async () => {
  const name = 'Card';
  const rule = (change: object) => JSON.stringify({ rules: [{ name, action: 'hold', ...change }] });
  const phrases = (...given: unknown[]) => rule({ phrases: given });
  // Refused before anything is looked up, so no deps are needed.
  for (const [json, says] of [
    ['{"rules": [', /is JSON, and this is not/],
    ['[]', /an object with "rules"/],
    ['{"rules": [], "version": 3}', /an object with "rules"/],
    ['{"rules": [5]}', /rule 1 doesn’t/],
    [rule({ detector: 'card_number', name: ' ' }), /a name of 1 to 100/],
    [rule({ detector: 'card_number', name: 'x'.repeat(101) }), /a name of 1 to 100/],
    [rule({ detector: 'card_number', action: 'delete' }), /one of flag, hold, block/],
    [rule({ detector: 'passport' }), /one of card_number, social_security_number/],
    [rule({ detector: 'toString' }), /one of card_number/],
    [rule({}), /either a detector or phrases/],
    [rule({ detector: 'card_number', phrases: ['x'] }), /either a detector or phrases/],
    [rule({ detector: 'card_number', pattern: '(a+)+' }), /and nothing else/],
    [phrases(), /a list of phrases/],
    [rule({ phrases: 'merger' }), /a list of phrases/],
    [phrases('ok', '…!'), /phrases of 1 to 20 words/],
    [phrases(5), /phrases of 1 to 20 words/],
    [phrases('a '.repeat(21)), /phrases of 1 to 20 words/],
    [phrases('x'.repeat(201)), /at most 200 characters/],
    [phrases('ﷺ'.repeat(30)), /at most 200 characters/],
    [phrases('\ud800 lone'), /phrases of 1 to 20 words/],
    [phrases(...Array(2_001).fill('x')), /at most 2000 phrases/],
    [JSON.stringify({ rules: Array(101).fill({ name, action: 'hold', phrases: ['x'] }) }), /at most 100 rules/],
    [JSON.stringify({ rules: Array(2).fill({ name, action: 'hold', phrases: ['x'] }) }), /rules with different names/],
  ] as const)
    await assert.rejects(setLexicon({ turn: takeTurn } as Deps, 1, json), says, json.slice(0, 100));
});
