import { phrasesPattern, type Vocabulary } from '../shared/text/phrases.ts';
import type { Reading } from './readings.ts';

/** Wording that supervision looks for: promises of returns, and requests to move to a channel that isn't archived. */

/** How far before a phrase to look for words that reverse its meaning, in characters. */
const beforeMax = 80;

/** A quick check whether a text can have one of the phrases, the phrases, and words before them that reverse the meaning. */
type Wording = { hint: RegExp; phrases: RegExp; unless: RegExp };

export function findPromise(text: Reading): string | null {
  return find(promises, text);
}

export function findOffChannel(text: Reading): string | null {
  return find(offChannel, text);
}

function find({ hint, phrases, unless }: Wording, text: Reading): string | null {
  if (!hint.test(text.plain)) return null;
  const clauses = text.clauses();
  phrases.lastIndex = 0;
  for (let match = phrases.exec(clauses); match; match = phrases.exec(clauses)) {
    const clause = clauses.lastIndexOf('\n', match.index) + 1;
    const before = clauses.slice(Math.max(clause, match.index - beforeMax), match.index + 1);
    if (!unless.test(before)) return match[0].trim();
    // A match whose meaning is reversed may overlap with one whose meaning isn't.
    phrases.lastIndex = match.index + 1;
  }
  return null;
}

const promiseVocabulary: Vocabulary = {
  GUARANTEED: 'guaranteed?|guarantees|guaranteeing|surefire|sure fire|foolproof|locked in',
  PROMISE: 'promised?|promises|promising|assured',
  GUARANTEE: 'guaranteed?|promised?|promising|swear',
  OF:
    'an?|the|of|you|your|our|my|annual|annually|yearly|monthly|weekly|quarterly|daily|steady|consistent|high|higher|huge|big' +
    '|double|triple|digits?|positive|market|beating|investment|rate|on|minimum|fixed|or|more|and|at|least|over|up|to|fat|nice' +
    '|solid|strong|great|better|best|future|tax free|passive|easy|quick|fast|instant|\\d+%?|%|percent',
  RETURNS: '(?:rates? of )?returns?|profits?|gains?|growth|yields?|roi|results|performance|winners?|upside|earnings',
  PROFITS: '(?:rates? of )?returns|profits?|gains|roi',
  PERCENT: '(?!(?:99|100|110|1000)(?:%| %| percent) )(?:\\d+ )?\\d+(?:%| %| percent)',
  ELSEWHERE:
    'calls?|flights?|trips?|polic(?:y|ies)|labels?|address|visits?|envelopes?|shipping|to|from|dates?|your|my|it|them' +
    '|mail|receipt|customers?',
  DENIED:
    '(?:do not|dont|do nt) exist|(?:are|is) (?:not|never|a myth|a red flag|red flags|a scam|a lie|illegal|impossible)|arent|isnt',
  ARE: 'is|are|will be|always|fully|completely|totally|absolutely|all|100%|of|\\d+%?|%|percent|a|per|each|every|year|month',
  EARN:
    'make (?:you |us |some |a lot of |good |big )?(?:money|rich|a profit|a fortune|\\d+)|make you (?:a )?(?:rich|wealthy|millionaire)' +
    '|profit|be profitable|earn (?:an?|at|\\d+%?|money|more|big|good|over)|double|triple|quadruple|go up|rise|appreciate' +
    '|beat the market|outperform|pay off|never lose|not lose|grow by|grow your (?:money|investment|account|savings)',
  IT:
    '(?:that )?(?:you|youll|you ll|youre|it|itll|its|this|thisll|that|thatll|we|well|they|theyll|th(?:e|is) (?:stock|fund|trade|investment|market|price)' +
    '|these (?:stocks|shares|funds)|shares|your (?:money|account|investments?|portfolio|savings))',
  WILL: 'will|ll|can|is|are|going|to|gonna|definitely|always|certainly|easily|at least',
  YOU: 'you|u|youll|we|it|this|one|investors|trade|stock|fund|deal|investment|strategy|literally|really|just|simply|basically|honestly',
  CANT: 'cant|cannot|can not|can t|couldnt',
  WONT: 'wont|will not|cant|cannot|can not|can t|never|ll never',
  MONEY: 'money|principal|(?:a|one|any|your|a single) (?:dime|cent|penny|dollar|money|principal|shirt)|your investment',
  HERE: '(?:on|with|in|if) (?:this|that|these|it|us|me|you)|here|this time|money',
  DEAL: 'investments?|deals?|bets?|stocks?|opportunit(?:y|ies)|propositions?|situations?|trades?|picks?|plans?|strateg(?:y|ies)',
  SAFE:
    'rates?|assets?|benchmark|treasur(?:y|ies)|bonds|consultations?|consults?|trials?|calls?|meetings?|reviews?|quotes?' +
    '|estimates?|period|conversations?|chats?|cancell?ation|analysis|demos?|evaluations?|appointments?|test',
  NORISK: '(?:no|zero|0) risk',
  ATALL: 'at all|whatsoever|involved|here|guaranteed',
  TOYOU: 'to you(?:r)?|of loss|of losing',
  DOUBLE: 'double|doubling|triple|tripling|quadruple|10x',
  WEALTH: '(?:money|investments?|cash|capital|portfolio|principal|nest egg|savings|dollars)',
  ASIDE: 'market|rate|rates|goals?|contributions?|accounts?|target',
  SURE: '(?:is|its|are|as|was) (?:an? )?(?:sure|safe|certain) (?:thing|bet|winner)',
};

/** "Past performance does not guarantee future results" and warnings about promises say the opposite of a promise. */
const promises: Wording = {
  hint: new RegExp(
    'guarant|assured|promis|risk|lose|losing|doubl|tripl|quadruple|10x|\\bsure|foolproof|swear|\\brich\\b' +
      '|locked\\W+in|cant\\W+miss|only\\W+go',
  ),
  phrases: phrasesPattern(
    [
      'GUARANTEED OF* RETURNS !ELSEWHERE !DENIED',
      'GUARANTEED OF* PERCENT',
      'PROMISE OF* PROFITS !DENIED',
      'PROMISE OF* PERCENT',
      'PERCENT ARE* guaranteed',
      'PERCENT OF* RETURNS ARE* guaranteed',
      'RETURNS ARE* guaranteed',
      'guaranteed to WILL* EARN',
      'GUARANTEE IT WILL* EARN',
      'YOU CANT lose $',
      'CANT lose HERE',
      'CANT lose MONEY',
      'WONT lose MONEY',
      'impossible to lose',
      'no way to lose',
      'no way you can lose',
      'no chance of losing',
      'CANT lose DEAL',
      'no lose DEAL',
      'cant miss DEAL',
      'risk free !SAFE !DENIED',
      'riskless !SAFE',
      'NORISK ATALL',
      'NORISK TOYOU',
      'theres NORISK $',
      'there is NORISK $',
      'with NORISK $',
      'DOUBLE your WEALTH !ASIDE',
      'DOUBLE ur WEALTH !ASIDE',
      'your WEALTH WILL* DOUBLE',
      'make you rich',
      'make you a millionaire',
      'make us rich',
      'can only go up',
      'will only go up',
      'SURE',
    ],
    promiseVocabulary,
  ),
  unless: new RegExp(
    ' (?:no(?! (?:risk|doubt|question|brainer|lie|joke|kidding|matter))|not(?! only)|never(?! (?:been|seen' +
      '|had))|cannot|cant|couldnt|wont(?! (?:regret|believe|miss))|wouldnt|dont(?! (?:miss|wait|worry|forget' +
      '|delay))|doesnt|didnt|isnt|arent|wasnt|aint|without|nobody|none|nothing|anything|neither|nor|hardly' +
      '|beware|avoid|wary|skeptical|scams?|scammers?|fraud|fraudsters?|illegal|prohibited|anyone|anybody' +
      '|whoever|claims?|claiming|years to|long to|takes to|tax|wish) (?:\\S+ ){0,4}$',
  ),
};

const channelVocabulary: Vocabulary = {
  APP:
    'whats ?apps?|watsapp|whatsap|telegram|signal|wechat|we chat|viber|imessage|facetime|(?:facebook |fb )?messenger|snapchat' +
    '|discord|skype|wickr|threema|kakao ?talk|hangouts|google chat|kik|groupme|slack|proton ?mail',
  SOCIAL: 'facebook|fb|instagram|insta|ig|linkedin|twitter|tiktok',
  DM: 'whats ?app|watsapp|whatsap|telegram|wechat|viber|imessage|facetime|snapchat|skype|slack|facebook|fb|dm|pm',
  ILL: 'ill|i ll|i will|i can|let me|can i|should i',
  YOU: 'you|u',
  TEXT: 'te?xt|message|msg|dm|pm|write|write to|email|e mail|ping|hit|reach|reach out to|contact|chat with|talk to|send|shoot|forward',
  CALL: 'call|find|add|get|catch|reply to|answer|follow up with',
  ME: 'me|us',
  IT:
    'me|us|you|u|it|this|that|them|these|those|everything|the|your|docs?|documents?|files?|details|info|statements?|forms?' +
    '|over|up|back|out|to|directly|instead|just|anytime|any|time|there|a|message|text|email|note|please',
  ON: 'on|at|via|through|thru|over|by|using|in|from|with|to',
  A: 'my|our|the|a|an',
  STOCK:
    'stocks?|shares?|ipo|earnings|bonds?|investors?|holdings?|position|inc|corp|deal|valuation|revenue|users|news|etf|options|strength|weakness',
  LETS:
    'lets|let s|let us|can we|can you|can u|could we|could you|could u|shall we|should we|we should|we can|we could|we need to' +
    '|you can|you could|please|pls|plz|just|want to|wanna|rather|prefer to|better to|better if we|easier to|id like to' +
    '|would you|would like to|how about we|why dont we|happy to|gotta|mind if we|we better|i can|ill|i will|then',
  HOWABOUT: 'how about|what about|mind|suggest|prefer|recommend|try|lets try|would prefer|rather',
  MOVE:
    'take|move|switch|bring|continue|carry on|pick|jump|hop|go|shift|transfer|chat|talk|speak|te?xt|message|discuss|finish|keep' +
    '|communicate|connect|do',
  MOVING: 'moving|switching|taking|continuing|going|chatting|talking|texting|messaging|using',
  THIS:
    'this|that|it|things?|the|our|your|conversation|chat|discussion|rest|of|details|up|going|over|talking|chatting|just|me|us' +
    '|on|about|here|everything|further|more|privately|private|instead|then',
  TO: 'to|over to|onto|on|on to|in|via|through|over|by',
  USE: 'use|try|do|get|download|install|join|open|set up',
  DOWNLOAD: 'download|install|get|join',
  HAVE: '(?:do you|do u|you|u) (?:have|use|got)|(?:are you|are u|r u|you|u) on|(?:whats|what is) (?:your|ur)',
  ASKED:
    'so|and|then|or|please|pls|too|number|id|handle|by any chance|yet|instead|if|we can|ill|i can|i will|because|for this|as',
  SAFER:
    'instead|please|pls|now|app|chat|so|and|where|its|it is|or|for|if|when|because|then|today|tonight|later|messenger|group',
  GIVEN: 'heres my|here is my|this is my|save my|add my|have my|use my|try my|my',
  PERSONAL: 'personal|private|non ?work|burner|after hours',
  OTHER: 'other|own|second|cell|mobile',
  DEVICE:
    'cell|cells|cellphone|cell phone|phone|number|no|mobile|line|email|e mail|mail|gmail|inbox|text|account|address|device' +
    '|whatsapp|messenger',
  HANDSET: 'cell|cellphone|cell phone|phone|mobile|number|email|e mail|gmail',
  CELL: 'cell|cellphone|cell phone|mobile|mobile phone',
  WEBMAIL: 'gmail|g mail|yahoo|hotmail|icloud|aol|proton ?mail|outlook com',
  NAME: '[^\\s%]+',
  IS: 'is(?! (?:broken|down|dead|off|not|the|a|in|on|being|acting|full|private|none|at))',
};

const offChannel: Wording = {
  hint: new RegExp(
    'whats\\W*ap|watsapp|telegram|signal|we\\W?chat|viber|imessage|facetime|messenger|snapchat|discord|skype' +
      '|wickr|threema|kakao|hangouts|google\\W+chat|\\bkik\\b|groupme|slack|proton|facebook|\\bfb\\b|\\binsta|\\big\\b' +
      '|linkedin|twitter|tiktok|\\bdm\\b|\\bpm\\b|personal|private|non\\W?work|burner|after\\W+hours|\\bmy\\W+(?:other' +
      '|own|second|cell|mobile)|gmail|g\\W+mail|yahoo|hotmail|icloud|\\baol\\b|outlook\\Wcom',
  ),
  phrases: phrasesPattern(
    [
      // By an app's name: "WhatsApp me", "message me on Signal", "add me on Telegram".
      'DM ME',
      'signal ME $',
      'ILL DM YOU',
      'TEXT IT* ON A* APP !STOCK',
      'TEXT IT* ON A* SOCIAL !STOCK',
      'CALL ME IT* ON A* APP !STOCK',

      // Moving there: "let's take this to Signal". But the Fed may "continue to signal cuts".
      'LETS MOVE THIS* TO APP $',
      'LETS MOVE THIS* TO APP SAFER',
      '^ MOVE THIS* TO APP $',
      '^ MOVE THIS* TO APP SAFER',
      'HOWABOUT MOVING THIS* TO APP $',
      'HOWABOUT MOVING THIS* TO APP SAFER',
      'HOWABOUT APP $',
      'HOWABOUT using APP $',
      'LETS USE APP $',
      'LETS USE APP SAFER',
      '^ DOWNLOAD APP $',
      '^ DOWNLOAD APP SAFER',
      'HAVE APP $',
      'HAVE APP ASKED',
      'GIVEN APP is',
      'heres my APP',
      'here is my APP',

      // Personal phones and mailboxes.
      'TEXT IT* ON my PERSONAL $',
      'TEXT IT* ON my PERSONAL SAFER',
      'TEXT IT* ON my PERSONAL DEVICE',
      'TEXT IT* ON my OTHER HANDSET',
      'TEXT IT* ON my CELL $',
      'TEXT IT* ON my CELL SAFER',
      'TEXT IT* ON A* PERSONAL DEVICE',
      'TEXT my PERSONAL $',
      'TEXT my PERSONAL DEVICE',
      'TEXT my CELL $',
      'TEXT IT* ON my WEBMAIL',
      'TEXT IT* ON my PERSONAL WEBMAIL',
      'TEXT IT* ON NAME gmail com',
      'TEXT IT* ON NAME NAME WEBMAIL com',
      'TEXT IT* ON NAME WEBMAIL com',
      'use my PERSONAL DEVICE',
      'use my WEBMAIL',
      'try my PERSONAL DEVICE',
      'heres my PERSONAL DEVICE',
      'here is my PERSONAL DEVICE',
      'this is my PERSONAL DEVICE',
      'my PERSONAL DEVICE IS',
      'my WEBMAIL IS',
    ],
    channelVocabulary,
  ),
  unless: new RegExp(
    ' (?:dont|do not|not|never|cant|cannot|couldnt|wont|shouldnt|stop|avoid|rather not|instead of|no longer' +
      '|didnt|isnt|unable to|if you|did you|who) (?:(?:ever|please|just|you|be|to|try|able|allowed|want|need|me' +
      '|us|have) ){0,3}$',
  ),
};
