import { clausesOf, phrasesPattern, plainOf, type Vocabulary } from '../shared/phrases.ts';

export type ReplyMeaning = 'opt_out' | 'opt_out_wording' | 'opt_in' | 'accept' | 'decline' | 'help' | 'other';

/** Replies that have a meaning as the whole message. Punctuation between words is a space: OPT-OUT is "opt out". */
const wholeReplies = new Map<string, ReplyMeaning>([
  ['stop', 'opt_out'],
  ['stopall', 'opt_out'],
  ['stop all', 'opt_out'],
  ['unsubscribe', 'opt_out'],
  ['cancel', 'opt_out'],
  ['end', 'opt_out'],
  ['quit', 'opt_out'],
  ['revoke', 'opt_out'],
  ['optout', 'opt_out'],
  ['opt out', 'opt_out'],
  ['remove', 'opt_out'],
  ['s t o p', 'opt_out_wording'],
  ['start', 'opt_in'],
  ['unstop', 'opt_in'],
  ['accept', 'accept'],
  ['yes', 'accept'],
  ['y', 'accept'],
  ['no', 'decline'],
  ['help', 'help'],
  ['info', 'help'],
]);

const courtesy = 'please+|pls|plz|kindly|thanks|thank you|thx|now|right now|already|asap|immediately|por favor|gracias';
const courtesyWords = new RegExp(` (?:(?:${courtesy}) )+`, 'g');

/**
 * What a person's reply means. Wording that is in doubt opts out: the firm reviews a mistaken opt-out, but a missed one
 * breaks the law. So "don't text me at work" and "wrong number" count; "no thanks" and "not interested" turn down an offer,
 * and don't.
 */
export function readReply(text: string): ReplyMeaning {
  const clauses = replyClausesOf(text);
  const words = clauses.replace(/[ \n]+/g, ' ');
  const whole = wholeReplies.get(words.trim());
  if (whole !== undefined) return whole;
  const politely = wholeReplies.get(words.replace(courtesyWords, ' ').trim()) === 'opt_out';
  return politely || optOutWordings.some((each) => clauses.search(each) >= 0) ? 'opt_out_wording' : 'other';
}

/** Punctuation, even inside a word, and line breaks end a clause; a percent sign is not a word here. */
function replyClausesOf(text: string): string {
  return clausesOf(plainOf(text).replaceAll('%', ' '), (gap) => /[.,;:!?()—–\n\v\f\r\u2028\u2029]/.test(gap));
}

/** Wording that a reasonable person reads as "stop texting me". */
const optOutPhrases = [
  // The clause says only stop, or begins or ends with it because a comma was left out.
  '^ BEFORE* ENOUGH AFTER* $',
  '^ BEFORE* stop stop',
  '^ stop SUBJECT',
  '!NOT PLEASE stop AFTER* $',
  '!WANTED TOLD stop AFTER* $',
  '!NOUN !NOT stop PLEASE $',

  // No more texts. With an object, since "stop texting and driving" and "stop sending checks" are about something else.
  '!NOT STOP THESE* TEXTING ME',
  '!NOT STOP THESE* TEXTING $',
  '!NOT STOP THESE* TEXTING LASTLY',
  '!NOT STOP THESE* TEXTS',
  '!NOUN !NOT CANCEL THESE* TEXTS',
  '!NOT STOP sending $',
  '!NOT STOP sending ME $',
  '!NOT STOP sending THINGS',
  '!NOT STOP sending ME THINGS',

  // Don't text me, whatever follows: "at work" or "until Monday" is for the firm to sort out.
  'DONT EVER* TEXT ME',
  '!SELF DONT EVER* TEXT $',
  '!SELF DONT EVER* TEXT LASTLY',
  'DONT EVER* BOTHER ME $',
  'NEVER EVER* TEXT ME AGAIN',
  'NEVER EVER* CALL ME AGAIN',
  '^ BEFORE* never EVER* TEXT ME',
  'ASK not TEXT ME',
  'not to TEXT ME',
  'DONT EVER* send MORE* TEXTS',
  'DONT EVER* send ME MORE* TEXTS',
  'DONT EVER* send ME MORE* THINGS',
  'DONT EVER* send ME AGAIN',
  'UNWANTED RECEIVE* TEXTS',
  'UNWANTED RECEIVE* CONTACTED',
  'UNWANTED RECEIVE* TEXT ME',
  'UNWANTED to GET HERE $',

  // Off the list. A list of texts, since people can leave an account or a plan as well.
  '!NOT REMOVE MINE FROM YOUR* LIST',
  '!NOT REMOVE MINE FROM HERE $',
  '!NOT GONE $',
  '!NOT GONE LASTLY',
  '!NOT GONE FROM YOUR* LIST',
  '!NOT GONE FROM HERE $',
  '!NOT LOSE NUMBER',
  '!NOT UNSUBSCRIBE',

  // Consent taken back, or never given.
  '!NOT REVOKE CONSENT',
  'i DIDNT CONSENTED $',
  'i DIDNT CONSENTED RECEIVE* TEXTS',
  'i DIDNT CONSENTED RECEIVE* CONTACTED',
  'i DIDNT CONSENTED RECEIVE* TEXT ME',
  'DONT have my CONSENT',
  'DIDNT ASKED RECEIVE* TEXTS',

  // Told to go away.
  '!NOT leave ME ALONE',
  '!NOT BLOCK YOU',

  // The number belongs to someone else, who never agreed to anything.
  '^ BEFORE* WRONG AFTER* $',

  // Spanish.
  'no me ESCRIBAN',
  'no me MANDEN MENSAJES',
  'no me MANDEN MAS',
  'no me MANDEN $',
  'DEJEN de ESCRIBIRME',
  'no QUIERO MENSAJES',
  'no QUIERO mas $',
  'no mas MENSAJES',
  'DEJENME en paz',
  'DARME de baja',
  'QUITEME de LA lista',
];

const vocabulary: Vocabulary = {
  PLEASE: 'please+|pls|plz|kindly|said|time|text|interested',
  TOLD: '(?:you|u|it|this|these|them) to',
  BEFORE:
    `${courtesy}|ok|okay|just|hey|hi|hello|no|nope|yes|sorry|omg|and|so|but|again|seriously|i said` +
    '|make (?:it|this)|how (?:do|can) i|i (?:told|asked|want|need) (?:you|u|this|it|these|them) to|(?:can|could|would|will) (?:you|u)' +
    '|(?:you|u) (?:can|need to|must|should|have to)',
  AFTER: `${courtesy}|ok|okay|it|this|that|these|those|all|again|everything|man|dude|bro|sir|buddy|sorry|forever|stop`,
  LASTLY: `${courtesy}|ok|okay|again|any ?more|ever|forever|or|i|im|(?:you|u) (?:have|got)|this is`,
  ENOUGH:
    'sto+p+|stopall|stop ?(?:2|to) ?(?:end|quit|stop)|no more|enough already|cease(?: and desist)?|discontinue|quit it' +
    '|no te?xt(?:s|ing)|go away|get lost|(?:fuck|piss|screw|buzz|back|bug|f) off|(?:ya )?no mas|(?:ya )?basta|pare' +
    '|paren|parar|no molest(?:ar|e|en)|no escrib(?:ir|a|an) mas|arret(?:ez)?',
  SUBJECT: 'i|im|ive|who|whos|you|u|dont|do not|this is|leave|remove|wrong|unsubscribe',
  NOT:
    'dont|don t|do not|dont ever|dont you dare|did not|didnt|i wont|i will not|cant|can t|cannot|did i|did you' +
    '|(?<! you )never|(?:dont|do not) (?:want|need|have)(?: you| this| it| these| them)? to',
  WANTED: '(?:dont|do not|didnt) (?:want|need)',
  SELF: 'i|we|you|u|they|he|she|people',
  NOUN: 'bus|non|next|last|first|full|pit|the|a|one',
  STOP: 'stop|quit|cease|discontinue|refrain from|no more|enough(?: of| with)?',
  CANCEL: 'cancel|end|turn off|disable|halt',
  THESE:
    'all|any|the|these|this|those|your|ur|my|me|us|with|sending|getting|receiving|further|future|more|automated' +
    '|marketing|promotional|fucking|damn|stupid',
  THINGS: 'this|these|those|stuff|things|anything|crap|shit|junk|bs|ads|offers|links',
  TEXTS:
    'te?xts?|te?xt (?:messages?|msgs?)|messages?|msgs?|sms|spam|contact|communications?|alerts|notifications|reminders',
  TEXTING:
    'te?xti(?:ng|n)|messag(?:ing|in)|msging|contacting|writing(?: to)?|reaching out(?: to)?|calling|bothering|bugging' +
    '|harassing|spamming|pestering|annoying|hitting up|blowing up',
  TEXT:
    'te?xt(?:ing)?|messag(?:e|ing)|msg|contact(?:ing)?|write to|reach out to' +
    '|(?:te?xt|message|contact|email|call) (?:or|and|nor) (?:te?xt|message|contact|email|call)',
  BOTHER: 'bother(?:ing)?|bug|harass|spam|pester|annoy|disturb|write',
  CALL: 'bother|write|call|calling',
  ME: 'me|us|(?:this|my) (?:number|phone|cell|line)|here',
  AGAIN: '(?:ever )?again|any ?more',
  DONT: 'dont|don t|do not',
  NEVER: 'never|dont|don t|do not|no need to|(?:dont|do not) (?:need|have) to',
  ASK: '(?:can|could|would|rather)(?: you| u)?(?: please)?|please|to',
  EVER: 'ever|keep|be|even|please|you ever|you dare|call me or',
  MORE: 'any|anymore|more|these|those|your|ur|further|fucking',
  UNWANTED:
    '(?:dont|don t|do not|no longer|did not|didnt|never) (?:want|wanted|wish|care|accept)|(?:prefer|rather) not' +
    '|decline|refuse',
  RECEIVE:
    'to|for|of|from|no|get|getting|receive|receiving|be|being|hear|hearing|have|you|u|sending|me|us|other|any|more' +
    '|anymore|these|those|this|your|ur|the|further|such|marketing|automated|random',
  GET: '(?:keep )?(?:get|getting|receive|receiving|see|seeing)',
  CONTACTED: 'contacted|texted|texting|messaged|messaging|hear from (?:you|u)|hearing from (?:you|u)',
  REMOVE: 'remove|take|delete|drop|scratch|get|pull|erase',
  MINE: 'me|us|this number|my (?:name|number|phone|cell|info|phone number|cell number)',
  FROM: 'from|off|off of|out of|of',
  YOUR:
    'all|any|your|ur|this|the|that|these|those|every|contact|call|calling|mailing|marketing|distribution|group|text' +
    '|texting|messaging|sms|receiving|getting|future|further',
  LIST: 'lists?|database|system|contacts|records|thread|chat|group|campaign|te?xts?|text messages|messages?|msgs?|sms',
  HERE: 'this|here|these',
  GONE: '(?:remove|delete|erase) (?:me|us)|take (?:me|us) off|opt(?:ing)? (?:me )?out|optout',
  NUMBER: '(?:my|this) (?:phone |cell )?(?:number|digits)',
  LOSE: 'lose|forget|remove|delete|erase',
  UNSUBSCRIBE: 'unsub|unsubscribe|unsubscribing|unsuscribe|unsubcribe',
  REVOKE: 'revoke|revoking|withdraw|withdrawing|rescind',
  CONSENT: '(?:(?:my|all|any) )?(?:consent|permission)',
  DIDNT: 'dont|do not|didnt|did not|never',
  CONSENTED: 'consent|consented|(?:give|gave)(?: you| u)?(?: my| any)? (?:consent|permission)',
  ASKED: '(?:sign|signed) up|subscribed?|ask|asked|request|requested',
  ALONE: '(?:the (?:fuck|hell|heck) )?alone|be',
  BLOCK: 'block|blocking',
  YOU: 'you|u|this number',
  WRONG:
    '(?:(?:i think )?(?:this is|its|(?:you|u|youve|youre|ur)(?: must| are)?' +
    '(?: have| got| texted| texting| reached){0,2}) )?' +
    '(?:the |a )?wrong (?:number|person|guy)|numero equivocado',
  ESCRIBAN: 'escrib(?:a|as|an)|contact(?:e|es|en)|molest(?:e|es|en)|texte(?:e|es|en)',
  MANDEN: 'mand(?:e|es|en)|envi(?:e|es|en)|llam(?:e|es|en)',
  DEJEN: 'dej(?:e|a|en|es)',
  ESCRIBIRME: '(?:escribir|mandar|enviar|molestar|textear|contactar|llamar)(?:me|nos)?',
  QUIERO: 'quiero|deseo|quiero recibir|deseo recibir',
  MENSAJES: '(?:(?:mas|sus|tus|estos) )?(?:mensajes?|textos?|sms)',
  MAS: 'mas|nada|esto|estos',
  DEJENME: 'dej(?:a|e|en)me',
  DARME: '(?:dar|de|da|den)me',
  QUITEME: '(?:quit|elimin|borr|sac|saqu)(?:a|e|en)me',
  LA: 'la|su|esta|tu',
};

/** One pattern per phrase: 100 kB take 20 ms. A single pattern would be too large for V8 to optimize, and ten times slower. */
const optOutWordings = optOutPhrases.map((phrase) => phrasesPattern([phrase], vocabulary));
