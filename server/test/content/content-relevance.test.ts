import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { saveContent, searchContent } from '../../src/domain/content/content.ts';
import { sandboxLibrary } from '../../src/domain/sandbox/sandbox-library.ts';
import { makeWorld, type World } from '../support/world.ts';

/** What people type, and what they expect to find. Written before looking at any results. */
const asked: Record<string, Record<string, string>> = {
  'in full': {
    'when to claim social security': 'When should you claim Social Security?',
    'social security couples': 'Social Security for married couples',
    'tax on social security': 'Are Social Security benefits taxed?',
    'roth conversion': 'Is a Roth conversion right for you?',
    'roth conversion calculator': 'Roth conversion calculator',
    'required minimum distribution': 'Required minimum distributions explained',
    'inherited ira': 'You inherited an IRA. What now?',
    'medicare part d': 'Medicare basics: Parts A, B, C and D',
    'turning 65': 'Turning 65: a birthday note about Medicare',
    'loss of spouse': 'Finances after the loss of a spouse',
    'estate planning checklist': 'Estate documents checklist',
    'inflation calculator': 'Inflation calculator',
    'budget worksheet': 'Monthly budget worksheet',
    'small business retirement plans': 'Retirement plans for small business owners',
    'life insurance how much': 'How much life insurance is enough?',
    'donor advised fund': 'Giving to charity with a plan',
    'white paper retirement income': 'White paper: turning savings into income',
    'credit freeze': 'How to freeze your credit',
    'college savings': '529 plans: saving for college with tax advantages',
    'open enrollment': 'Medicare open enrollment starts soon',
    'holiday office hours': 'Our office hours over the holidays',
  },
  'in one word': {
    rmd: 'RMD calculator',
    529: '529 plans: saving for college with tax advantages',
    birthday: 'Happy birthday from all of us',
    divorce: 'Money decisions during a divorce',
    thanksgiving: 'Happy Thanksgiving',
    esg: 'Sustainable investing: what ESG funds do',
    irmaa: 'Why some people pay more for Medicare',
    juneteenth: 'Juneteenth',
  },
  'in a different form': {
    '401k rollover': 'Old 401(k)? Four choices for a rollover',
    '401 (k) matching': 'Getting the most from a 401(k) match',
    'long term care': 'Planning for long-term care',
    'retiring early': 'Thinking about early retirement?',
    'taxes on a capital gain': 'Capital gains: short term, long term and zero',
    widows: 'Finances after the loss of a spouse',
    ebook: 'Medicare made simpler: an e-book',
    'valentines day': 'Happy Valentine’s Day',
    'HEALTH SAVINGS ACCOUNT': 'Health savings accounts: three tax advantages in one',
  },
  'with or without accents': {
    resume: 'Refreshing your résumé after 50',
    'RÉSUMÉ after 50': 'Refreshing your résumé after 50',
    cafe: 'Meet us at the café: a morning for questions',
    'medicàre basics': 'Medicare basics: Parts A, B, C and D',
  },
  'half typed': {
    'retirem inc': 'Building a retirement income plan, step by step',
    'soc sec spo': 'Social Security for married couples',
    annui: 'Annuities in plain words',
    diversif: 'Diversification: not all eggs in one basket',
    'tax loss har': 'Tax-loss harvesting and the wash-sale rule',
    'ident th': 'Identity theft: what to do first',
  },
  'with misspellings': {
    'retierment income plan': 'Building a retirement income plan, step by step',
    'socail security couples': 'Social Security for married couples',
    annuty: 'Annuities in plain words',
    'sustainable invesmtent': 'Sustainable investing: what ESG funds do',
    'medicaer basics': 'Medicare basics: Parts A, B, C and D',
    'charatable giving guide': 'The charitable giving guide',
    beneficary: 'The beneficiary form that overrides your will',
    inflaton: 'Inflation and your purchasing power',
    divorse: 'Money decisions during a divorce',
    'rolover 401k': 'Old 401(k)? Four choices for a rollover',
    'estate planing': 'Estate planning is not only for the wealthy',
    'market volitility': 'Staying calm in a volatile market',
    buget: 'A household budget you can live with',
    'morgage payoff': 'Mortgage payoff calculator',
    'emergancy fund': 'How big should an emergency fund be?',
    'umbrella isnurance': 'What an umbrella policy covers',
    'colege savings': '529 plans: saving for college with tax advantages',
    rtoh: 'Roth conversion calculator',
  },
};

suite('a search of the sandbox’s library', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    await saveContent(world.deps, null, sandboxLibrary.everyones);
  });
  after(() => world.close());

  for (const [how, hopes] of Object.entries(asked))
    test(`has the expected item among its first three, if asked ${how}`, async () => {
      const missed: string[] = [];
      for (const [text, title] of Object.entries(hopes)) {
        const search = { contentType: 'All', text, page: 1, pageSize: 3 } as const;
        const { data } = await searchContent(world.deps, world.ann.advisor.advisorId, search);
        const titles = data.map((item) => item.title);
        if (!titles.includes(title)) missed.push(`${text}: ${titles.join(' · ') || 'nothing'}`);
      }
      assert.deepEqual(missed, []);
    });
});
