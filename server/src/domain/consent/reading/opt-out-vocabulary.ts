import type { Vocabulary } from '../../shared/text/phrases.ts';

/** The words that the phrases of opt-out-phrases.ts write in capitals. */
export const optOutVocabulary: Vocabulary = {
  POLITE:
    'please|please and (thanks|thank you)|kindly|thanks|thank you|ty|now|right now|already|asap|immediately|today' +
    '|por favor|gracias|favor|sir' +
    '|maam|madam|friend|man|dude|bro|guys|folks|all of you',
  FILLER:
    'POLITE|ok|okay|just|hey|hi|hello|yo|yes|yeah|yep|no|nope|nah|sorry|omg|and|so|but|again|seriously|well|um|then' +
    '|really|you|also|spam|this is|harassment|not interested|si|ya|ay|oye|alright|bruh|girl|ugh|argh|wtf|omfg|smh|ffs' +
    '|jesus|god|for (god|gods|christ|petes) sake|for the love of god|hell no|hell|damn|busy|dear|que|i mean it',
  ASK:
    '(can|could|would|will|cant|wont) you' +
    '|(i|we) (want|need|asked|ask|told|would like|said to) (you|it|this|these|them) (all|guys|people|please|texts' +
    '|messages)? to' +
    '|id (like|want|prefer) (you|it|this|these|them) to|ive (asked|told) you to|im (asking|telling|begging) you to' +
    '|you (can|must|should|better|may)|you (guys|people)? (need|have|ought) to|i (want|need|would like|wish) to' +
    '|id like to|want to|how (do|can|could|would|to) (i|we|you)?|i (said|say)|(asked|told) you to' +
    '|make (it|this|these|them|the (texts|messages))|(need|want) (it|this|these|them|the (texts|messages)) to' +
    '|(keep|kept) (saying|telling you (to)?|asking you to)|i (beg|beg of|implore) you (to)?|when will you|why (wont' +
    '|dont|cant) you|said|please to|begging you to|(told|tell) you' +
    '|(ask|asking|request|requesting|demand|demanding|insist|wish|urge) (that)? you (nicely|politely|all|guys|kindly' +
    '|again)? (to|would)?' +
    '|appreciate (it)? if (you|youd) (would|could|to)?|can we',
  STOP:
    'STOPS|refrain from|kill|end|cancel|disable|deactivate|turn off|switch off|shut off|terminate' +
    '|unenroll (me)? (from)?|finish|end of|cut out|lay off|knock off|ease off|suspend|eliminate',
  STOPS: 'stop|quit|cease|discontinue|halt|desist|stopall|stopping',
  SENDING:
    'texting|messaging|contacting|writing (to)?|reaching out (to)?|calling|bothering|bugging|harassing|spamming' +
    '|pestering|annoying|hitting|pinging|blowing (up)? (my|our|this)? (phone|cell)? (up)?|communicating (with)?' +
    '|soliciting|stalking|disturbing|contact|nagging|hounding|bombarding|hassling|blasting|intruding|corresponding ' +
    '(with)?' +
    '|chasing|poking|lighting up|(trying|attempting) to (text|contact|message|reach|communicate with)' +
    '|using (text|texts|sms|(my|this) number)',
  COMM:
    'text|texts|texting|message|messages|messaging|sms|spam|alerts|alert|notifications|notification|reminders' +
    '|communication|communications|contact|solicitations|solicitation|blasts|correspondence|mensajes|marketing' +
    '|harassment' +
    '|promotions|promos|ads|promo|advertising|advertisements|outreach|subscription|updates',
  THESE:
    'los|las|estos|sus|con|de|all|any|the|these|this|those|that|your|my|me|us|with|of|for|from|out|to|sending' +
    '|getting|receiving|further|future|more|automated|automatic|marketing|promotional|fucking|damn|stupid|annoying' +
    '|unwanted|unsolicited|random|constant|such|daily|weekly|and|calling|crap|nonsense|other|kind of|types of|market' +
    '|newsletter|morning' +
    '|company|robo|bot|receive|send|endless|silly|dumb|pointless|incessant|nonstop|auto|useless|ridiculous|it with' +
    '|goddamn|bloody|freaking',
  THINGS:
    'this|these|those|that|stuff|things|anything|it|them|crap|shit|junk|bs|nothing|bullshit|nonsense|madness|garbage' +
    '|ads' +
    '|offers|links|any|more|anymore' +
    '|everything|else|of',
  ME: 'me|us|(this|my|our) (personal|private)? (number|phone|cell|line|mobile)|here|this one',
  MINE:
    'me|us|mi (number|telefono|celular)|us both|both of us|(me|us) and my (\\w+)|(this|my|our) (number|name|phone' +
    '|cell|info|information|contact|line|mobile|details|(contact)? (info|information))' +
    '|(my|his|her) (!(old|work|other|home|previous|new|THING) \\w+)? (number|phone|cell)',
  AGAIN: '(ever)? again|anymore|ever|further|any further|going forward|in the future',
  DONT: 'dont|never|not',
  NOT:
    'should (i|we)|dont|didnt|cant|wont|never|not|doesnt|isnt|couldnt|wouldnt|havent|hasnt|without|hardly|nunca' +
    '|did i|did you|(dont|not|didnt|wont|never) (want|need|mean|going|plan|intend|have) (you|it|this|these)? to' +
    '|accidentally' +
    '|what (is|does|are)',
  SELF: 'i|we|they|he|she|people|who|kids|you|to',
  TEXT:
    '(text|message|contact|write|sms|msg|call) (or|and|nor) (text|call|email|message|write|contact)' +
    '|call (or|and|nor) (text|message)|text|message|contact|msg|write (to)?|reach out (to)?|bother texting|solicit' +
    '|ping|buzz|hit' +
    '|sms|spam|pester|communicate with|(keep)? (texting|messaging|contacting|writing)',
  WANT: 'want|need|wish|care|like|desire|expect|appreciate|authorize|accept|wanted|interested|looking|wants|enjoy',
  GETTING:
    'to|for|be|being|get|getting|receive|receiving|have|hear|hearing|see|seeing|any|anymore|more|these|those|this' +
    '|your|the|of|from|you|sending|me|us|my|further|such|other|so|many|much|in|on|keep|want|marketing|automated|all' +
    '|kind|another|none|single|one|promotional|anyone|no',
  LISTED:
    'on (this|your|the|any) COMM? (list|lists)|hear from (you|your|anyone)|hearing from you|contacted|texted' +
    '|messaged|bothered|have my number|in your (system|database|phone|contacts)',
  REMOVE:
    'remove|take|delete|drop|scratch|get|pull|erase|scrub|strike|cross|purge|cut|unlist|wipe|clear|toss|dump|throw ' +
    'away|get rid of|x|cancel|take off',
  OFF: 'off (of)?|from|out (of)?|of|de',
  LIST:
    'list|lists|yours|roster|database|system|contacts|records|thread|group|campaign|COMM|phone|loop|rotation' +
    '|distribution|file|program',
  YOUR:
    'all|any|your|this|the|that|these|those|every|la|su|esta|tu|contact|call|calling|mailing|marketing|distribution' +
    '|group|text' +
    '|texting|messaging|sms|future|further|damn|fucking|stupid|company|whole|of|phone',
  THING:
    'appointments|appointment|meetings|meeting|orders|order|trades|trade|loss|losses|limits|limit|payments|payment' +
    '|pay|checks|check|transfers|transfer|wires|wire|deposits|deposit|withdrawals|withdrawal|withholding' +
    '|contributions|contribution|distributions|dividends|dividend|reinvest\\w*|invest\\w*|buying|selling|paper' +
    '|statements|statement|mail|mailing|mailings|emails|email|emailing|letters|letter|policy|policies|insurance' +
    '|accounts|account|cards|card|fees|fee|rmd|auto|autopay|loan|mortgage|bills|bill|trust|poa|attorney' +
    '|beneficiar\\w*|plan|401k|ira|roth|margin|paperless|dental|health|medicare|pension|part|match|working|work' +
    '|driving|drive|smoking|job|worrying|gaming|eating|spending|signs|sign|bus|train|flight|gas|coffee|lunch|dinner' +
    '|calls|call|gym|netflix|membership|newsletter|invoices|invoice|wife|husband|ex|kids|son|daughter|address' +
    '|calendar|invite|hold|trial|lease|date|cita|formulario|vender|bonos|preguntas|riesgo|portal|access' +
    '|overspending|averaging|funds|fund|shares|stocks|stock|bonds|bond|annuit\\w*|crypto|risk|questions|retire' +
    '|arbitration|class|settlement|security|rollover|escalation|enrollment|election|charges|charge|transactions' +
    '|transaction|balance|guest|rsvp|seminar|webinar|event|watchlist|registration|reservation|rent|interest' +
    '|portfolio|raining|snowing|rebalanc\\w*|premiums|premium|coverage|claim|debit|drafts|draft|sweep|options' +
    '|option|trading|thing|monthly|dollar|power|partnership|taxes|tax',
  CONSENT:
    '(my|all|any|and|your|the|prior|previous|express)* (consent|permission|authorization|consentimiento|permiso' +
    '|autorizacion)',
  CONSENTED: 'CONSENT|consented|consenting|authorized|authorize',
  LOOSE:
    'stop|stopall|stop all|unsubscribe|optout|basta|basta ya|pare|paren|detener|detenganse|detengase|detente' +
    '|detengan|desuscribir|desuscribirme|desinscribirme|ya no|no mas|ya (basta|paren|pare|para|no mas)|para ya' +
    '|cease|cease and desist|discontinue|desist|no more' +
    '|no (text|texts|texting|message|messages|sms|spam|contact|soliciting|solicitation)|unsubscribed|go away' +
    '|get lost|(fuck|piss|screw|buzz|back|bug|f|eff|sod|bugger|shove) off|knock it off|cut it out|give it a rest' +
    '|enough already|unenroll|deregister|off the list|want off|need off|let me be' +
    '|stop (2|to|two) (end|quit|stop|cancel|unsubscribe|optout)|stop2end|stop2quit|stop2stop|stop2cancel' +
    '|no molestar|no (molesten|moleste)|no escribir|arrete|arretez|dont disturb|dnc|stopit|nomas|no solicitors' +
    '|solicitors' +
    '|parar|cancelenme|(?:quita|quite|quiten|saque|saca|saquen|borra|borre|borren|elimina|elimine|eliminen)(?:me|nos)' +
    '|desuscrib(?:a|e|an)me|arret|desuscribirse|darse de baja|no (insista|insistan|insistas)|vete|vayase' +
    '|vayanse|(?:para|pare|paren)le (ya)?|largate|larguese|ya (es|fue) suficiente|ya estuvo (bueno)?|alto ya' +
    '|cancelar todo|no autorizo|nunca mas|refrain' +
    '|no (fastidie|fastidien|fastidies|jodan|joda|jodas|chinguen|chingue|friegue|frieguen)' +
    '|dejen de (chingar|joder)|deje de (chingar|joder)|deja de (chingar|joder)|no (sigan|siga) (escribiendo|mandando' +
    '|molestando)',
  WEAK:
    'cancel|end|quit|remove|revoke|para|baja|alto|eliminar|cancelar|cancele|cancela|cancelen|anular|finalizar' +
    '|terminar' +
    '|fin|quitar|borrar|terminate|endd|eend|ennd|edn|emd|ebd|3nd|revoco|revocar|halt|unlist',
  AFTER:
    'POLITE|ok|okay|it|this|that|these|those|all|again|everything|sorry|forever|stop|me|anymore' +
    '|(that|it) would be (great|nice|appreciated|awesome|good) \\w* \\w* \\w*|going forward|period|for good' +
    '|doing (this|that|it)|permanently|completely|bitch|asshole|assholes|idiot|idiots|jerk|jerks|loser|losers|creep' +
    '|creeps|morons|moron|dammit|damn it|ffs|bruh|lady|amigo|n ty|i mean it|and thank you|right there|entirely' +
    '|i am serious|im serious|i repeat|at once|once and for all|ya|mas|twice|before|or else' +
    '|or (i|im|ill) (will|am|be)? (report|reporting|call|calling|block|blocking|sue|suing) \\w+ (\\w+)?',
  SUBJECT:
    'i|im|ive|we|were' +
    '|my (dad|mom|father|mother|husband|wife|brother|sister|son|daughter|uncle|aunt|grandma|grandpa|parents)|who' +
    '|whos|you|youve|he|she|dont|this is|this isnt|leave|remove|wrong|unsubscribe|or|not|thank',
  NOUN:
    'bus|non|next|last|first|full|pit|the|a|one|an|trailing|your|my|quick|second|train|on|truck|whistle|layover|rest' +
    '|sell|buy|which|tram|subway|metro|fuel|gas',
  EVER: 'ever|keep|be|even|please|dare|you|call me or|need to|have to|bother|try to|want you to|want you|any longer',
  UNWANTED:
    '(dont|didnt|nolonger|never|not|doesnt|does not|nobody|noone|no one|aint nobody) WANT|dislike|(prefer|rather) ' +
    'not|decline|refuse|nolonger',
  UNSUB: 'unsubscribe|optout',
  OFTHING: '(me|us|my|the|from|of|for)* (\\w+)? (\\w+)? (\\w+)? THING',
  NOTNAME:
    'by|in|at|over|the|it|my|today|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday' +
    '|todays|tomorrows|january|february|march|april|may|june|july|august|september|october|november|december',
  ESCRIBA:
    'escrib(?:a|as|an|ir)|contact(?:e|es|en|ar|s|ing)?|contacts|molest(?:e|es|en|ar)|busqu(?:e|es|en)|text(?:ee|ees' +
    '|een|ear)' +
    '|llam(?:e|es|en|ar)|habl(?:e|es|en)',
  ESCRIBIR:
    '(?:escribir|mandar|enviar|molestar|textear|contactar|llamar|fastidiar|joder|chingar|llegar|recibir|insistir)' +
    '(?:me|nos|le)?(?:los)?',
  PARE:
    'stop|pare|paren|parar|deje|dejen|deja|dejes|dejar|detenga|detengan|detengase|detenganse|detener|suspenda' +
    '|suspendan' +
    '|suspender|cancele|cancelen|cancelar|cancela|cancelo|paro|anule|anular|alto|basta|parenle|parele|parale|terminen',
  MANDE: 'mand(?:e|es|en|ar)|envi(?:e|es|en|ar)',
  VUELVA: '(vuelva|vuelvas|vuelvan) a',
  NEGATIVE:
    'stop|quit|cease|enough|block|complaint|complain|complaining|report|reporting|lawyer|sue|harass|harassment' +
    '|unwanted|unsolicited|annoying|bothering|spam|scam|remove|delete|off|illegal|against the law|nolonger' +
    '|no further|no more|done with|pause|sick of|tired of|fed up|hate',
  WHY: 'why',
  MAN: 'him|her|them|it|that|he|she|they|kids|market|who|what',
  OK: 'love|keep|like|please keep|dont|never|a|an|got|some|another|other|not',
  RELATIVE:
    'mom|mother|dad|father|husband|wife|son|daughter|kid|kids|child|children|brother|sister|parents|grandma' +
    '|grandmother' +
    '|grandpa|grandfather|uncle|aunt|family|girlfriend|boyfriend',
  ADVISOR: 'advisor|adviser|broker|firm|company|planner|guy',
  LATER: 'before|after|during|while|between|when|this (morning|week|early)|so (early|late)|today|tonight|right now',
  BYAT:
    'sending ME? (the|my|those|these|any)? THING|texting and driving|by|in|at|over|for|on|to|and|short|before|after' +
    '|loss|losses|limit|order|sign|shop|gap|out' +
    '|(?!(?:sending|texting|messaging|contacting|bothering|spamming|harassing|bugging|writing|getting' +
    '|receiving)\\b)\\w+ing' +
    '|the|my|our|making|youre|you|when|if|where|off|near|into|\\d+\\w*|of|a|an|up|that|day|THING|here|there' +
    '|it youre',
  KEYWORD: 'stop|optout|unsubscribe',
  ABOUTTEXTS:
    'text|texts|texting|texted|message|messages|messaging|messaged|sms|notifications|notification|alerts|alert' +
    '|reminders|spam|list|lists|(my|this|his|her|our) (number|phone|cell)|contact|contacting|contacted|outreach' +
    '|communications|communication|communicate|correspondence|subscription|blasts|pings|thread|group chat' +
    '|(hear|hearing) from you|(reach|reaching) out|solicit\\w*|ads|marketing|bot|automated|escrib\\w+|inbox',
  REFUSAL:
    'not|dont|didnt|never|no|none|nolonger|wont|isnt|arent|doesnt|aint|stop|stopping|ended|off|out|without|rather' +
    '|instead' +
    '|quit|enough|remov\\w+|delet\\w+|leave|away|lose|erase|scrub|drop|purge|clear|strike|wrong|rude|block\\w*' +
    '|unwanted' +
    '|last|final|sick|tired|annoy\\w*|costing|costs|charged|less|fewer|uninterested' +
    '|intrusive|uncomfortable|refuse|decline|object|unsubscrib\\w+' +
    '|optout|ceas\\w+|halt|against|through with|over it|bother\\w*|disturb\\w*|harass\\w*|stupid|damn|fuck\\w*|hell' +
    '|crap' +
    '|shit|fcc|too (many|much)|pause|suspend|silence|mute|disconnect|discontinu\\w+|former|nunca|jamas|basta|deje' +
    '|dejen' +
    '|deja|quite\\w*|quita\\w*|borr\\w+|elimin\\w+|sin|par(?:e|en|ar)|alto|baja|cancel\\w*',
  SMALLTALK:
    'GOTNOT (he|ha|han|me|been)* (see|seen|get|got|getting|gotten|receive|received|receiving|find|read|send' +
    '|recibi\\w*' +
    '|llego|llegaron|llegado|mando|mandaron)|(never|dont|not) (want (you|these|it)? to)? stop|(got|saw|see|read|per' +
    '|re|about|from|getting|of|missed|miss|resend) (your|the|this|that) ' +
    '(last)? (text|texts|message|messages|reminder)' +
    '|(leave|take|deje|deja) (me|us)? (a|un) message|(text|texting|message) (and|while|or|when) (i)? (drive|driving)' +
    '|ignore|disregard|(last|wrong|first) (text|message)|(dont|not) mind|no (problem|problems|worries|rush)' +
    '|dont (lose|forget|share|give|stop|hesitate|miss|remove|delete|take|text much|check)|keep (texting|sending|them' +
    '|the|me)' +
    '|cant (text|talk|message)|text back|my (message|text|texts|messages)|(text|message|contact) you|dont text !(ME) ' +
    '\\w+ text me' +
    '|text (me|us) (when|the|if|later|tomorrow|at|a|not|back|once|after|here|instead|your|their|what|where)' +
    '|(text|contact|message) my|contact (info|information|person)|(text|texting) (works|is)|still want' +
    '|(account|routing|confirmation|tracking|policy|social|check|fax) number|number (of|for|is)|(old|new) number' +
    '|(guest|email|seminar|rsvp|grocery|waiting|bucket|watch|short) list|list (with|of)|off my list|out of town' +
    '|did you|did i|(if|can|should) i text',
  GOTNOT: 'not|didnt|never|havent|hasnt|dont|cant|no|arent|isnt|stop|stopped|wasnt',
};
