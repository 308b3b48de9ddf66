import type { ContentInput, ContentStatus, ContentType } from '../content/content.ts';
import { dayMs } from '../shared/time.ts';

/** One item per line: path, title, summary, keywords, and its status if it is not published. */
type Lines = Record<ContentType, string>;

const site = 'https://library.sandbox.example';
const firstPublished = Date.UTC(2025, 0, 6, 14);

const everyones: Lines = {
  WebContent: `
    articles/first-year-of-retirement | The first year of retirement: what changes and what stays | Paychecks stop, health cover moves, and days need a new shape. A calm look at the twelve months after the last day at work. | retirement, transition, lifestyle, cash flow
    articles/retirement-income-plan | Building a retirement income plan, step by step | How savings, pensions and Social Security can be combined into a monthly income, and why the order of withdrawals matters. | retirement income, withdrawals, pension, planning
    articles/withdrawal-rates | How much can you withdraw each year? | Rules of thumb for spending from a portfolio, what they assume, and when to leave them behind. | withdrawal rate, retirement income, spending, longevity
    articles/sequence-of-returns | Why the order of returns matters when you retire | Losses early in retirement weigh more than losses later. A plain explanation of sequence risk and ways to prepare. | sequence risk, market losses, retirement, volatility
    articles/early-retirement | Thinking about early retirement? | Retiring before 60 raises questions about health cover, penalties and how long money must last. | early retirement, FIRE, health insurance, 72(t)
    articles/working-in-retirement | Working part time after you retire | A little earned income changes taxes, benefits and how the week feels. | part-time work, encore career, earnings test
    articles/pension-lump-sum | Pension: lump sum or monthly payments? | The questions to ask before a one-time choice that can’t be taken back. | pension, lump sum, annuity payments, decision
    articles/social-security-when-to-claim | When should you claim Social Security? | Claiming at 62, at full retirement age or at 70: how the monthly benefit changes and what else to weigh. | social security, claiming age, benefits, delayed credits
    articles/social-security-spouses | Social Security for married couples | Spousal and survivor benefits, and how two claiming decisions work together. | social security, spousal benefits, survivor, couples
    articles/social-security-taxes | Are Social Security benefits taxed? | Up to 85 percent of benefits may count as income. What combined income means. | social security, taxes, provisional income
    articles/medicare-basics | Medicare basics: Parts A, B, C and D | What each part covers, what it leaves out, and the dates that matter around your 65th birthday. | medicare, enrollment, health care, part d
    articles/medicare-irmaa | Why some people pay more for Medicare | An income from two years ago can raise this year’s premiums. How the surcharge works and when to appeal. | medicare, IRMAA, premiums, surcharge
    articles/medigap-or-advantage | Medigap or Medicare Advantage? | Two ways to fill the gaps of original Medicare, side by side. | medicare, medigap, medicare advantage, supplement
    articles/rollover-choices | Old 401(k)? Four choices for a rollover | Leave it, move it to a new employer, roll it into an IRA, or cash it out: costs and consequences of each. | 401k, rollover, IRA, job change
    articles/401k-match | Getting the most from a 401(k) match | How employer matching works, what vesting means, and how to avoid leaving money on the table. | 401k, employer match, vesting, saving
    articles/catch-up-contributions | Catch-up contributions after 50 | Higher limits for workplace plans and IRAs in the years before retirement. | catch-up, contribution limits, 401k, IRA
    articles/roth-conversion | Is a Roth conversion right for you? | Paying tax now so that later withdrawals can be tax free: who may benefit, who may not, and which years fit. | roth conversion, taxes, IRA, brackets
    articles/roth-or-traditional | Roth or traditional IRA: how they differ | Tax now or tax later. Eligibility, limits and the five-year rule in a few paragraphs. | roth IRA, traditional IRA, contributions, five-year rule
    articles/required-minimum-distributions | Required minimum distributions explained | Why withdrawals become mandatory in your seventies, how the amount is worked out, and what a missed one costs. | RMD, required minimum distribution, IRA, penalty
    articles/inherited-ira | You inherited an IRA. What now? | The ten-year rule, its exceptions, and decisions to make in the first year. | inherited IRA, beneficiary, ten-year rule
    articles/estate-planning-basics | Estate planning is not only for the wealthy | A will, powers of attorney and beneficiary forms: the few documents that almost everyone needs. | estate planning, will, power of attorney, documents
    articles/trusts-explained | What a living trust does, and what it does not | Avoiding probate, keeping matters private, and the work of moving assets into a trust. | living trust, probate, estate, revocable
    articles/beneficiary-review | The beneficiary form that overrides your will | Old designations on accounts and policies are a common and avoidable mistake. | beneficiaries, designation, will, review
    articles/digital-estate | Passwords, photos and your digital estate | Who can reach online accounts when you can’t, and how to leave instructions safely. | digital assets, passwords, estate, executor
    articles/529-plans | 529 plans: saving for college with tax advantages | Contributions, qualified expenses, and what happens if a child takes another path. | 529, college savings, education, grandparents
    articles/financial-aid | How savings affect financial aid | What the aid forms count and what they leave out, for parents and grandparents. | financial aid, FAFSA, college, assets
    articles/student-loans | Paying off student loans without standing still | Balancing debt payments with emergency savings and a first retirement account. | student loans, debt, young professionals
    articles/life-insurance-how-much | How much life insurance is enough? | Income to replace, debts to settle, years to cover: a way to think about the number. | life insurance, coverage, family protection
    articles/term-or-permanent | Term or permanent life insurance? | One is simple and ends; the other lasts and costs more. Which questions decide. | life insurance, term, whole life, permanent
    articles/disability-insurance | Your income is an asset: insuring against disability | Why cover through work may fall short and what an own policy can add. | disability insurance, income protection
    articles/long-term-care | Planning for long-term care | Care at home, in a community or in a nursing facility: costs, insurance and family conversations. | long-term care, nursing home, caregiving, insurance
    articles/annuities | Annuities in plain words | Immediate, deferred, fixed and variable annuities; fees and guarantees, and what backs them. | annuity, annuities, guaranteed income, insurance company
    articles/umbrella-insurance | What an umbrella policy covers | Liability beyond home and auto cover, and who should consider it. | umbrella policy, liability, insurance
    articles/year-end-taxes | Year-end tax moves to discuss before December 31 | Loss harvesting, charitable gifts, required distributions and bunching deductions. | year-end, taxes, deductions, harvesting
    articles/capital-gains | Capital gains: short term, long term and zero | How holding periods and income decide what is owed when you sell. | capital gains, taxes, cost basis, investments
    articles/tax-brackets | How tax brackets really work | A raise never costs you money by pushing you into a higher bracket. Marginal rates explained. | tax brackets, marginal rate, income tax
    articles/tax-loss-harvesting | Tax-loss harvesting and the wash-sale rule | Turning losses into deductions without leaving the market. | tax-loss harvesting, wash sale, capital losses
    articles/market-volatility | Staying calm in a volatile market | Swings are normal. What a plan does for you when headlines are loud. | market volatility, behavior, downturn, headlines
    articles/market-timing | Time in the market and timing the market | Missing a few of the best days can change the result of decades. | market timing, investing, discipline
    articles/diversification | Diversification: not all eggs in one basket | Stocks, bonds and cash behave differently; that is the point. | diversification, asset allocation, portfolio
    articles/bonds-and-rates | What rising interest rates mean for bonds | Price and yield move in opposite directions. Duration, explained without formulas. | bonds, interest rates, duration, fixed income
    articles/rebalancing | When and why to rebalance a portfolio | Drift happens quietly. Calendar and threshold methods compared. | rebalancing, portfolio, asset allocation
    articles/inflation | Inflation and your purchasing power | Three percent a year halves what a dollar buys in about 24 years. What that means for long plans. | inflation, purchasing power, cost of living
    articles/i-bonds-tips | TIPS and I bonds: savings that follow inflation | Two kinds of government securities whose value is tied to prices. | TIPS, I bonds, inflation, treasury
    articles/budgeting | A household budget you can live with | Fewer categories, honest numbers, and one look a month. | budget, budgeting, spending, household
    articles/emergency-fund | How big should an emergency fund be? | Three months, six, or more: it depends on how steady your income is. | emergency fund, cash reserve, savings
    articles/credit-score | What moves your credit score | Payment history, use of credit, age of accounts, and myths about checking it. | credit score, credit report, borrowing
    articles/mortgage-payoff | Should you pay off the mortgage before you retire? | Peace of mind against liquidity and return: both sides. | mortgage, debt, home, retirement
    articles/charitable-giving | Giving to charity with a plan | Donor-advised funds, appreciated stock and gifts straight from an IRA. | charitable giving, donor-advised fund, QCD, philanthropy
    articles/qualified-charitable-distribution | Gifts from your IRA: the qualified charitable distribution | From age 70½ a gift straight to a charity can count toward the required minimum distribution. | QCD, charity, RMD, IRA, gifts
    articles/widowhood | Finances after the loss of a spouse | What needs attention in the first weeks, and what can wait until you are ready. | widowhood, widow, widower, survivor, grief
    articles/divorce | Money decisions during a divorce | Dividing retirement accounts, the house, and new budgets for two households. | divorce, QDRO, separation, settlement
    articles/blended-families | Estate and money questions in blended families | Being fair to a spouse and to children from earlier marriages. | blended family, remarriage, stepchildren, estate
    articles/newlyweds | Money talks for newlyweds | Accounts, debts and goals: what to agree on in the first year together. | marriage, newlyweds, joint accounts, couples
    articles/caring-for-parents | Helping aging parents with their money | Starting the conversation, sharing access safely, and caring for yourself. | aging parents, caregiver, sandwich generation, elder care
    articles/small-business-plans | Retirement plans for small business owners | SEP, SIMPLE, solo 401(k): who each one suits. | small business, SEP IRA, SIMPLE IRA, solo 401k, self-employed
    articles/business-succession | Succession: handing over your business | Family, partners or a buyer: timelines, valuation and the owner’s own next chapter. | business succession, exit planning, valuation, sale
    articles/stock-options | Stock options and RSUs: what employees should know | Vesting, taxes at exercise, and the risk of too much in one company. | stock options, RSU, equity compensation, concentration
    articles/sustainable-investing | Sustainable investing: what ESG funds do | Screening, integration and engagement, and how to read a fund’s own description. | ESG, sustainable investing, responsible, values
    articles/scams-against-seniors | Scams that target older adults, and how to stop them | Urgency, secrecy and gift cards are warning signs. Whom to call. | fraud, scams, seniors, elder abuse
    articles/freezing-credit | How to freeze your credit | A free step that makes identity theft harder, at each of the three bureaus. | credit freeze, identity theft, cybersecurity
    articles/resume-after-50 | Refreshing your résumé after 50 | For clients who change careers late: telling a long story briefly. | résumé, career change, job search
    articles/health-savings-accounts | Health savings accounts: three tax advantages in one | Who may contribute, what counts as medical, and using it later in life. | HSA, health savings account, medical expenses
    articles/special-needs | Planning for a child with special needs | ABLE accounts, special needs trusts and keeping public benefits. | special needs, ABLE account, disability, trust
    articles/crypto | Cryptocurrency: questions before you buy | Volatility, custody and taxes, without hype. | cryptocurrency, bitcoin, digital assets, risk | draft
    articles/2024-limits | Contribution limits for 2024 | Last year’s numbers for IRAs and workplace plans. | contribution limits, IRA, 401k, 2024 | archived`,
  Emails: `
    emails/birthday | Happy birthday from all of us | A short birthday greeting for any client. | birthday, greeting, client appreciation
    emails/birthday-65 | Turning 65: a birthday note about Medicare | Good wishes and three dates to remember for Medicare enrollment. | birthday, 65, medicare, milestone
    emails/birthday-50 | Turning 50: catch-up contributions begin | A birthday email with one useful fact about saving more. | birthday, 50, catch-up contributions, milestone
    emails/birthday-73 | A milestone birthday and required distributions | Congratulations, and what starts at age 73. | birthday, 73, RMD, milestone
    emails/welcome | Welcome to our practice | What a new client can expect in the first ninety days. | welcome, onboarding, new client
    emails/annual-review | Time for your annual review | An invitation to meet, with what to bring and what will be talked about. | annual review, meeting, invitation
    emails/review-follow-up | Thank you for meeting with us | Follows a review meeting with next steps. | follow-up, thank you, next steps
    emails/client-anniversary | Celebrating another year together | Marks the anniversary of working with a client. | anniversary, client appreciation, loyalty
    emails/market-update-quarter | A quarterly look at the markets | A neutral summary of the quarter, to be completed with own remarks. | market commentary, quarterly, newsletter
    emails/market-drop | When markets fall: a note to clients | Perspective for a difficult week. Reminds of the plan rather than of predictions. | market downturn, volatility, reassurance
    emails/tax-documents | Your tax documents are on their way | Which forms come when, and where to find them online. | tax documents, 1099, tax season
    emails/ira-deadline | IRA contributions: the April deadline | There is still time to contribute for last year. | IRA, contribution deadline, april, taxes
    emails/year-end-checklist | Before the year ends: a short checklist | Distributions, gifts, flexible spending accounts and a look at withholding. | year-end, checklist, planning
    emails/medicare-open-enrollment | Medicare open enrollment starts soon | From October 15 to December 7 plans can be changed. A reminder to compare. | medicare, open enrollment, reminder
    emails/social-security-statement | Have you checked your Social Security statement? | How to create an online account and look for missing earnings. | social security, statement, earnings record
    emails/rmd-reminder | A reminder about your required distribution | For clients who must withdraw before December 31. | RMD, reminder, deadline
    emails/beneficiary-check | Who are your beneficiaries? | Asks clients to check the names on accounts and policies. | beneficiaries, review, update
    emails/college-season | College letters are arriving | For parents of high-school seniors: comparing offers of aid. | college, financial aid, parents
    emails/new-baby | Congratulations on your new arrival | For new parents: a few money steps that can wait a month. | new baby, parents, life event
    emails/new-home | Congratulations on your new home | Insurance, budgets and a document folder after a move. | new home, moving, mortgage, life event
    emails/job-change | Starting a new job? Don’t forget the old plan | A friendly note about an old workplace account. | job change, 401k, rollover, life event
    emails/condolence | With our sympathy | A condolence letter that asks for nothing. | condolence, sympathy, loss
    emails/referral-thanks | Thank you for recommending us | Thanks a client for an introduction, without any reward. | referral, thank you, introduction
    emails/seminar-invitation | You are invited: an evening on retirement income | Invitation to a local educational seminar, with date and place to fill in. | seminar, event, invitation, retirement income
    emails/coffee | Meet us at the café: a morning for questions | An informal invitation to talk over coffee. | café, client event, invitation
    emails/cybersecurity-month | Five habits that keep accounts safe | For October, cybersecurity awareness month: passwords, updates and two-step sign-in. | cybersecurity, passwords, phishing, two-factor
    emails/holiday-hours | Our office hours over the holidays | When the office is closed and how to reach someone. | holidays, office hours
    emails/spring-draft | A spring newsletter | Not yet ready. | newsletter, spring | draft`,
  SocialPosts: `
    social/new-year | Happy New Year | A simple greeting for the first of January. | holiday, new year, greeting
    social/mlk-day | Remembering Dr. Martin Luther King Jr. | For the third Monday of January. | holiday, MLK day
    social/valentines | Happy Valentine’s Day | A light post about sharing plans with the ones you love. | holiday, valentine, couples
    social/presidents-day | Presidents’ Day | A short greeting; markets are closed. | holiday, presidents day, markets closed
    social/tax-day | Tax Day is almost here | A reminder with a calendar picture. | tax day, april 15, reminder
    social/earth-day | Earth Day | A post about small habits. | earth day, sustainability
    social/mothers-day | Happy Mother’s Day | Thanks to the ones who taught us to save. | holiday, mothers day, family
    social/memorial-day | Memorial Day: we remember | A respectful post for the last Monday of May. | holiday, memorial day, veterans
    social/fathers-day | Happy Father’s Day | A greeting for the third Sunday of June. | holiday, fathers day, family
    social/juneteenth | Juneteenth | Marks the nineteenth of June. | holiday, juneteenth
    social/independence-day | Happy Fourth of July | A greeting for Independence Day. | holiday, independence day, july 4
    social/labor-day | Labor Day: a day of rest | A greeting for the first Monday of September. | holiday, labor day
    social/veterans-day | Thank you, veterans | A post for November 11. | holiday, veterans day, military
    social/thanksgiving | Happy Thanksgiving | Grateful for clients, colleagues and pie. | holiday, thanksgiving, gratitude
    social/season | Season’s greetings | A winter greeting that suits everyone. | holiday, christmas, hanukkah, greeting
    social/compound-interest | Compound interest in one picture | A small amount, many years, one curve. For illustration only. | compound interest, saving, education
    social/emergency-fund | Rainy days come. Is your fund ready? | A question and a tip about cash reserves. | emergency fund, savings, tip
    social/social-security-70 | Three facts about waiting until 70 | A carousel about delayed Social Security credits. | social security, delayed credits, infographic
    social/medicare-65 | Almost 65? Mark these Medicare dates | Initial enrollment in a simple timeline. | medicare, 65, timeline
    social/529-day | May 29 is 529 Day | A reminder about college savings plans. | 529, college savings, education
    social/phishing | Think before you click | How to spot a phishing message in ten seconds. | phishing, cybersecurity, scam
    social/volatility | Headlines shout. Plans whisper. | For a week with market swings. | market volatility, calm, quote
    social/women-and-wealth | Women and wealth: longer lives, longer plans | A statistic and a thought for International Women’s Day. | women, longevity, planning
    social/financial-literacy | April is financial literacy month | One money question to ask your children. | financial literacy, children, education
    social/team | Meet the team | Introduces a colleague with a photo. | team, introduction, about us
    social/old-slogan | Retire like a king | Withdrawn: the wording was not approved. | retirement, slogan | archived`,
  Print: `
    print/estate-documents-checklist | Estate documents checklist | One page to tick off: will, trust, powers of attorney, health care directive, beneficiary forms. | checklist, estate planning, documents, will
    print/retirement-countdown | Retirement countdown: a checklist for the last five years | What to settle each year before leaving work. | checklist, retirement, timeline
    print/survivor-checklist | When a loved one dies: a checklist for survivors | Calls to make, papers to find, decisions to postpone. | checklist, survivor, widow, death
    print/divorce-checklist | Divorce: financial documents to gather | A checklist for the first meeting with an attorney or advisor. | checklist, divorce, documents
    print/new-parent-checklist | New parent money checklist | Insurance, guardians, budget, and a first savings account. | checklist, new baby, guardian, life insurance
    print/tax-prep-checklist | Tax preparation checklist | Papers to bring to your tax preparer. | checklist, taxes, documents, 1099
    print/home-inventory | Home inventory worksheet | Room by room, for insurance. | worksheet, home, insurance, inventory
    print/monthly-budget | Monthly budget worksheet | A printable page for income, fixed costs and everything else. | worksheet, budget, spending
    print/net-worth | Net worth statement | What you own, what you owe, on one page. | worksheet, net worth, assets, debts
    print/medicare-guide | A pocket guide to Medicare | A folded card with the four parts, dates and phone numbers. | medicare, guide, enrollment
    print/social-security-guide | A pocket guide to Social Security | A folded card about ages, benefits and how to apply. | social security, guide, benefits
    print/long-term-care-brochure | Talking about long-term care | A brochure for families. | long-term care, brochure, family
    print/529-brochure | Saving for college: a brochure for grandparents | How grandparents can help with a 529 plan. | 529, college savings, grandparents, brochure
    print/market-history-poster | A century of bull and bear markets | A poster for the office wall. Past performance does not guarantee future results. | markets, history, poster, bull, bear
    print/charitable-card | Ways to give: a one-page overview | Cash, stock, donor-advised funds and gifts from an IRA on one card. | charitable giving, overview, donor-advised fund
    print/family-meeting | Agenda for a family money meeting | A page that helps generations talk. | family meeting, agenda, heirs, wealth transfer
    print/emergency-card | Wallet card: whom to call in an emergency | Advisor, attorney, doctor, insurance. | wallet card, emergency contacts
    print/identity-theft | Identity theft: what to do first | Ten steps on one page, with phone numbers. | identity theft, checklist, credit freeze, fraud
    print/business-valuation | What is your business worth? A worksheet | Questions that a valuation will ask. | worksheet, business valuation, small business, succession
    print/thank-you-card | Thank-you card | A folded card with room for a handwritten line. | thank you, card, client appreciation`,
  DownloadContent: `
    downloads/retirement-calculator.xlsx | Retirement savings calculator | A spreadsheet that shows how contributions and assumed returns add up. Hypothetical; results will differ. | calculator, retirement, savings, spreadsheet
    downloads/rmd-calculator.xlsx | RMD calculator | Works out a required minimum distribution from a balance and an age. | calculator, RMD, required minimum distribution
    downloads/roth-conversion-calculator.xlsx | Roth conversion calculator | Compares tax now with tax later under assumptions that you choose. | calculator, roth conversion, taxes
    downloads/college-cost-calculator.xlsx | College cost calculator | Projects tuition and what to set aside each month. | calculator, college, tuition, 529
    downloads/mortgage-calculator.xlsx | Mortgage payoff calculator | What extra payments change. | calculator, mortgage, debt
    downloads/budget.xlsx | Budget spreadsheet | Twelve months, simple categories, no macros. | budget, spreadsheet, spending
    downloads/inflation-calculator.xlsx | Inflation calculator | What today’s expenses may cost in ten, twenty or thirty years. | calculator, inflation, purchasing power
    downloads/social-security-white-paper.pdf | White paper: claiming strategies for Social Security | Twenty pages for clients who like detail: ages, couples, survivors, taxes. | white paper, social security, claiming strategies
    downloads/retirement-income-white-paper.pdf | White paper: turning savings into income | Buckets, floors and systematic withdrawals compared. | white paper, retirement income, withdrawal strategies
    downloads/estate-planning-guide.pdf | The estate planning guide | An e-book about wills, trusts, taxes and talking with heirs. | e-book, estate planning, wills, trusts, guide
    downloads/tax-guide.pdf | Tax reference guide | Brackets, limits and deadlines on four pages. | taxes, reference, brackets, limits
    downloads/medicare-e-book.pdf | Medicare made simpler: an e-book | From first enrollment to switching plans. | e-book, medicare, enrollment
    downloads/women-retirement-report.pdf | Report: women and retirement | Longer lives, career breaks and what plans can do about them. | report, women, retirement, longevity
    downloads/volatility-presentation.pptx | Presentation: investing through volatility | Slides with speaker notes for a client seminar. | presentation, slides, market volatility, seminar
    downloads/ltc-cost-report.pdf | Report: what long-term care costs | Typical costs by kind of care and region. | report, long-term care, costs
    downloads/small-business-kit.zip | Small business owner’s kit | Plan comparison, succession checklist and a valuation worksheet in one file. | kit, small business, succession, retirement plans
    downloads/cybersecurity-guide.pdf | A family guide to cybersecurity | Passwords, devices, children and older relatives. | guide, cybersecurity, passwords, identity theft
    downloads/charitable-giving-guide.pdf | The charitable giving guide | Gifts during life and at death, and what the tax rules say. | guide, charitable giving, philanthropy, donor-advised fund
    downloads/life-insurance-calculator.xlsx | ResetGuard insurance needs calculator | Adds up income, debts and goals. | calculator, life insurance, coverage
    downloads/divorce-guide.pdf | Divorce and your finances: a guide | From first steps to a new plan. | guide, divorce, QDRO, settlement
    downloads/old-limits.pdf | Limits and thresholds 2023 | Replaced by the tax reference guide. | limits, 2023 | archived`,
};

const firms: Lines = {
  WebContent: `
    firm/our-approach | How Sandbox Wealth Partners invests | Our own approach in five principles. | investment philosophy, our approach
    firm/fees | What we charge, and for what | Fees of Sandbox Wealth Partners in plain words. | fees, pricing, disclosure`,
  Emails: `
    firm/portal | Your new client portal | How clients of Sandbox Wealth Partners sign in for the first time. | client portal, sign in, onboarding`,
  SocialPosts: `
    firm/food-drive | Join our food drive | The office collects canned food through November. | community, food drive, charity`,
  Print: `
    firm/brochure | Sandbox Wealth Partners: our brochure | Who we are and how we work. | brochure, about us`,
  DownloadContent: `
    firm/client-profile.pdf | Client profile form | The questionnaire that we ask new clients to fill in. | form, questionnaire, onboarding
    firm/internal-playbook.pdf | Advisor playbook | For staff, not for clients. | internal, playbook | draft`,
};

/** The sandbox's initial library: items for everyone, and its firm's own. */
export const sandboxLibrary = { everyones: itemsOf(everyones), firms: itemsOf(firms) };

function itemsOf(lines: Lines): ContentInput[] {
  const all = Object.entries(lines).flatMap(([type, text]) =>
    text
      .trim()
      .split('\n')
      .map((line) => ({ type: type as ContentType, parts: line.trim().split(' | ') })),
  );
  return all.map(({ type, parts: [path, title = '', summary = '', keywords = '', status = 'published'] }, index) => ({
    type,
    title,
    url: `${site}/${path}`,
    summary,
    keywords: keywords.split(', '),
    status: status as ContentStatus,
    // Not in the list's order, like a library that grew over time.
    dateTimePublished: new Date(firstPublished + ((index * 37) % all.length) * 3 * dayMs),
  }));
}
