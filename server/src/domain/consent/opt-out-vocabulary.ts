import type { Vocabulary } from '../shared/phrases.ts';

/** The words that the phrases of opt-out-phrases.ts write in capitals. */
export const optOutVocabulary: Vocabulary = {
  POLITE:
    'please|kindly|thanks|thank you|ty|now|right now|already|asap|immediately|today|por favor|gracias|favor|sir' +
    '|maam|madam|friend|man|dude|bro|guys|folks|all of you',
  FILLER:
    'POLITE|ok|okay|just|hey|hi|hello|yo|yes|yeah|yep|no|nope|nah|sorry|omg|and|so|but|again|seriously|well|um|then' +
    '|really|you|also|spam|this is|harassment|not interested|si|ya|ay|oye',
  ASK:
    '(can|could|would|will|cant|wont) you' +
    '|(i|we) (want|need|asked|ask|told|would like|said to) (you|it|this|these|them) (all|guys|people|please|texts' +
    '|messages)? to' +
    '|id (like|want|prefer) (you|it|this|these|them) to|ive (asked|told) you to|im (asking|telling|begging) you to' +
    '|you (can|must|should|better|may)|you (guys|people)? (need|have|ought) to|i (want|need|would like|wish) to' +
    '|id like to|want to|how (do|can|could|would|to) (i|we|you)?|i (said|say)|(asked|told) you to' +
    '|make (it|this|these|them|the (texts|messages))|(need|want) (it|this|these|them|the (texts|messages)) to' +
    '|when will you|why (wont|dont|cant) you|said|please to|begging you to',
  STOP:
    'STOPS|refrain from|kill|end|cancel|disable|deactivate|turn off|switch off|shut off|terminate' +
    '|unenroll (me)? (from)?|finish|end of',
  STOPS: 'stop|quit|cease|discontinue|halt|desist|stopall|stopping',
  SENDING:
    'texting|messaging|contacting|writing (to)?|reaching out (to)?|calling|bothering|bugging|harassing|spamming' +
    '|pestering|annoying|hitting|pinging|blowing (up)? (my|our|this)? (phone|cell)? (up)?|communicating (with)?' +
    '|soliciting|stalking|disturbing|contact',
  COMM:
    'text|texts|texting|message|messages|messaging|sms|spam|alerts|alert|notifications|notification|reminders' +
    '|communication|communications|contact|solicitations|solicitation|blasts|correspondence|mensajes|marketing' +
    '|promotions|promos|ads|promo|advertising|advertisements|outreach|subscription|updates',
  THESE:
    'los|las|estos|sus|con|de|all|any|the|these|this|those|that|your|my|me|us|with|of|for|from|out|to|sending' +
    '|getting|receiving|further|future|more|automated|automatic|marketing|promotional|fucking|damn|stupid|annoying' +
    '|unwanted|unsolicited|random|constant|such|daily|weekly|and|calling|crap|nonsense|other|kind of|types of',
  THINGS:
    'this|these|those|that|stuff|things|anything|it|them|crap|shit|junk|bs|ads|offers|links|any|more|anymore' +
    '|everything|else|of',
  ME: 'me|us|(this|my|our) (number|phone|cell|line|mobile)|here',
  MINE: 'me|us|(this|my|our) (number|name|phone|cell|info|information|contact|line|mobile)',
  AGAIN: '(ever)? again|anymore|ever|further|any further|going forward|in the future',
  DONT: 'dont|never|not',
  NOT:
    'should (i|we)|dont|didnt|cant|wont|never|not|doesnt|isnt|couldnt|wouldnt|havent|hasnt|without|hardly|nunca' +
    '|did i|did you|(dont|not) (want|need) (you|it|this|these)? to',
  SELF: 'i|we|they|he|she|people|who|kids|you|to',
  TEXT:
    '(text|message|contact|write|sms|msg|call) (or|and|nor) (text|call|email|message|write|contact)' +
    '|call (or|and|nor) (text|message)|text|message|contact|msg|write (to)?|reach out (to)?|bother texting|solicit' +
    '|sms|spam|pester|communicate with|(keep)? (texting|messaging|contacting|writing)',
  WANT: 'want|need|wish|care|like|desire|expect|appreciate|authorize|accept|wanted|interested|looking',
  GETTING:
    'to|for|be|being|get|getting|receive|receiving|have|hear|hearing|see|seeing|any|anymore|more|these|those|this' +
    '|your|the|of|from|you|sending|me|us|my|further|such|other|so|many|much|in|on|keep|want|marketing|automated|all' +
    '|kind',
  LISTED:
    'on (this|your|the|any) COMM? (list|lists)|hear from (you|your|anyone)|hearing from you|contacted|texted' +
    '|messaged|bothered',
  REMOVE: 'remove|take|delete|drop|scratch|get|pull|erase|scrub|strike|cross|purge|cut|unlist',
  OFF: 'off (of)?|from|out (of)?|of',
  LIST: 'list|lists|roster|database|system|contacts|records|thread|group|campaign|COMM|distribution|file|program',
  YOUR:
    'all|any|your|this|the|that|these|those|every|contact|call|calling|mailing|marketing|distribution|group|text' +
    '|texting|messaging|sms|future|further|damn|fucking|stupid|company|whole|of|phone',
  THING:
    'appointments|appointment|meetings|meeting|orders|order|trades|trade|loss|losses|limits|limit|payments|payment' +
    '|pay|checks|check|transfers|transfer|wires|wire|deposits|deposit|withdrawals|withdrawal|withholding' +
    '|contributions|contribution|distributions|dividends|dividend|reinvest\\w*|invest\\w*|buying|selling|paper' +
    '|statements|statement|mail|mailing|mailings|emails|email|emailing|letters|letter|policy|policies|insurance' +
    '|accounts|account|cards|card|fees|fee|rmd|auto|autopay|loan|mortgage|bills|bill|trust|poa|attorney' +
    '|beneficiar\\w*|plan|401k|ira|roth|margin|paperless|dental|health|medicare|pension|part|match|working|work' +
    '|driving|drive|smoking|job|worrying|gaming|eating|spending|signs|sign|bus|train|flight|gas|coffee|lunch|dinner' +
    '|calls|call|gym|netflix|membership|newsletter|invoices|invoice|wife|husband|ex|tom|kids|son|daughter|address' +
    '|calendar|invite|hold|trial|lease|date|cita|formulario|vender|bonos|preguntas|riesgo|portal|access' +
    '|overspending|averaging|funds|fund|shares|stocks|stock|bonds|bond|annuit\\w*|crypto|risk|questions|retire' +
    '|portfolio|raining|snowing|rebalanc\\w*|premiums|premium|coverage|claim|debit|drafts|draft|sweep|options' +
    '|option|trading|thing|monthly|dollar|power|partnership|taxes|tax',
  CONSENT:
    '(my|all|any|your|the|prior|previous|express)* (consent|permission|authorization|consentimiento|permiso' +
    '|autorizacion)',
  CONSENTED: 'CONSENT|consented|consenting|authorized|authorize',
  LOOSE:
    'stop|stopall|stop all|unsubscribe|optout|basta|basta ya|pare|paren|detener|detenganse|detengase|detente' +
    '|detengan|desuscribir|desuscribirme|desinscribirme|ya no|no mas|ya (basta|paren|pare|para|no mas)|para ya' +
    '|cease|cease and desist|discontinue|desist|no more' +
    '|no (text|texts|texting|message|messages|sms|spam|contact|soliciting|solicitation)|unsubscribed|go away' +
    '|get lost|(fuck|piss|screw|buzz|back|bug|f|eff|sod|bugger|shove) off|knock it off|cut it out|give it a rest' +
    '|enough already|unenroll|deregister|off the list|want off' +
    '|stop (2|to|two) (end|quit|stop|cancel|unsubscribe|optout)|stop2end|stop2quit|stop2stop|stop2cancel' +
    '|no molestar|no (molesten|moleste)|no escribir|arrete|arretez|dont disturb|dnc|stopit|nomas',
  WEAK: 'cancel|end|quit|remove|revoke|para|baja|alto|eliminar|cancelar',
  AFTER:
    'POLITE|ok|okay|it|this|that|these|those|all|again|everything|sorry|forever|stop|me|anymore' +
    '|(that|it) would be (great|nice|appreciated|awesome|good) \\w* \\w* \\w*|going forward|period|for good' +
    '|doing (this|that|it)|at once|once and for all|ya|mas|twice|before|or else' +
    '|or (i|im|ill) (will|am|be)? (report|reporting|call|calling|block|blocking|sue|suing) \\w+ (\\w+)?',
  SUBJECT:
    'i|im|ive|we|were' +
    '|my (dad|mom|father|mother|husband|wife|brother|sister|son|daughter|uncle|aunt|grandma|grandpa|parents)|who' +
    '|whos|you|youve|he|she|dont|this is|this isnt|leave|remove|wrong|unsubscribe|or',
  NOUN: 'bus|non|next|last|first|full|pit|the|a|one|an|trailing|your|my|quick|second|train|on',
  EVER: 'ever|keep|be|even|please|dare|you|call me or|need to|have to|bother|try to|want you to|want you|any longer',
  UNWANTED: '(dont|didnt|nolonger|never|not) WANT|(prefer|rather) not|decline|refuse|nolonger',
  UNSUB: 'unsubscribe|optout',
  OFTHING: '(me|us|my|the|from|of|for)* (\\w+)? (\\w+)? (\\w+)? THING',
  OFA: 'email|newsletter',
  NOTNAME:
    'by|in|at|over|the|it|my|today|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday' +
    '|january|february|march|april|may|june|july|august|september|october|november|december',
  ESCRIBA:
    'escrib(?:a|as|an|ir)|contact(?:e|es|en|ar|s|ing)?|contacts|molest(?:e|es|en|ar)|text(?:ee|ees|een|ear)' +
    '|llam(?:e|es|en|ar)|habl(?:e|es|en)',
  MANDE: 'mand(?:e|es|en|ar)|envi(?:e|es|en|ar)',
  VUELVA: '(vuelva|vuelvas|vuelvan) a',
  NEGATIVE:
    'stop|quit|cease|enough|block|complaint|complain|complaining|report|reporting|lawyer|sue|harass|harassment' +
    '|unwanted|unsolicited|annoying|bothering|spam|scam|remove|delete|off|illegal|against the law|nolonger' +
    '|no further|no more|done with|sick of|tired of|fed up|hate',
  WHY: 'why',
  MAN: 'him|her|them|it|that|he|she|they|kids|market|who|what',
  OK: 'love|keep|like|please keep|dont|never',
  BYAT:
    'sending ME? (the|my|those|these|any)? THING|texting and driving|by|in|at|over|for|on|to|and|short|before|after' +
    '|loss|losses|limit|order|sign' +
    '|(?!(?:sending|texting|messaging|contacting|bothering|spamming|harassing|bugging|writing|getting' +
    '|receiving)\\b)\\w+ing' +
    '|the|my|our|making|youre|you|when|if|where|off|near|into|\\d+\\w*|of|a|an|up|that|day|THING|here|there' +
    '|it youre',
};
