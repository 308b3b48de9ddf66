import { phrasesPattern } from '../shared/phrases.ts';
import { optOutVocabulary } from './opt-out-vocabulary.ts';

/** Wording that means stop, or may mean it, in the language of shared/phrases.ts. Words are read by reply-spelling.ts. */

/** A reasonable person reads these as "stop texting me". */
const clear = [
  // The clause says stop, with nothing but courtesy around it.
  '^ FILLER* LOOSE AFTER* $',
  '^ FILLER* ASK* FILLER* STOPS THINGS* AFTER* $',
  '^ FILLER* STOPS STOPS',
  '!NOUN !NOT (POLITE|spam|harassment|interested|number|time) STOPS AFTER* $',
  '!NOUN !NOT STOPS please AFTER* $',
  '(for the (last|final|second|third|umpteenth|\\w+th) time|how many times|once again|(texting|messaging' +
    '|contacting|calling) me) ' +
    'FILLER* STOPS AFTER* $',
  '^ FILLER* remove POLITE* $',
  '^ FILLER* STOPS SUBJECT',
  '!NOUN !NOT ASK FILLER* STOPS AFTER* $',
  '^ FILLER* (im|i)? (am)? (reply|replying|text|texting|type|typing|send|sending|word) stop $',
  // Stop, and texts.
  '!NOUN !NOT STOP THESE* SENDING FILLER* ME',
  '!NOUN !NOT STOP THESE* SENDING FILLER* AFTER* $',
  '!NOUN !NOT STOP THESE* SENDING AGAIN',
  '!NOUN !NOT STOP THESE* SENDING (or|and) (texting|messaging|calling)',
  'ASK STOP THESE* (SENDING|COMM)',
  '!NOUN !NOT STOP THESE* COMM !(and|of|from my)',
  '!NOUN !NOT STOP THESE* sending ME? THESE* COMM',
  '!NOUN !NOT STOP THESE* sending ME? THESE* THINGS* AFTER* $',
  '!NOUN !NOT STOP (getting|receiving) ~ (COMM|this|these|those|it)',
  '(turn|switch|shut) (this|these|it|them|those|(the)? (texts|messages|alerts|notifications)) off',
  '!NOT STOP (all)? (this|these) AFTER* $',
  '!NOT (want|like|need|prefer|wish|get) (for)? THESE* (COMM|this|these|it|them) to (stop|end|cease) AFTER* $',
  'COMM (are|is) (unwelcome|unwanted|not (welcome|wanted|appreciated|needed|allowed|authorized))',
  'not (allowed|authorized|permitted|welcome) to TEXT ME',
  '(done|finished|through) (with|getting|receiving) ~ (COMM|these)',
  '(sick|tired) of ~ COMM',
  // Don't text.
  '!SELF !WHY DONT EVER* TEXT FILLER* ME !(off|the|my)',
  '!WHY dont EVER* (text|message|contact) FILLER* ME !(the|my)',
  '!SELF !WHY DONT EVER* call FILLER* ME AGAIN',
  'DONT EVER* (bother|disturb|annoy|harass|bug) ME AFTER* $',
  'you never STOPS THESE* SENDING',
  '!SELF DONT EVER* TEXT AFTER* $',
  '!SELF DONT EVER* TEXT AGAIN',
  '(asked|ask|told|tell|telling|said|want|wish|request|requested|ASK|please) (you|u|everyone|all|POLITE)* (to)? ' +
    '(not|didnt|never) (to)? (text|message|contact|write) (me|us|this number)',
  '(rather|prefer) (you)? (not|didnt|dont) (to)? ~ (text|texted|message|contact|contacted|receive|get|COMM)',
  'DONT EVER* send ME? (THESE|THINGS)* COMM',
  'DONT EVER* send ME? THESE* THINGS* AFTER* $',
  'you (ever|text|message|contact|call|me|us|this number)* again (and|i|ill|im)',
  '^ FILLER* (text|message|contact) (me|us|this number) again (and|or|ill|i)',
  'if you (ever)? (text|message|contact) (me|us|this number) again',
  'no need to (text|message|contact) me',
  // Not wanted.
  'UNWANTED GETTING* COMM',
  'UNWANTED GETTING* LISTED',
  '^ FILLER* (i)? UNWANTED (to (get|receive|see|have))? (this|these|it|those|any of (this|these|it)) AFTER* $',
  'no more THESE* COMM',
  'no more of (this|these|those)',
  '^ FILLER* no THESE* (text|texts|texting|messages|sms|spam|contact|communication|communications) AFTER* $',
  'enough (with|of)? THESE* COMM',
  // Off the list.
  '!NOT REMOVE MINE AFTER* $',
  '!NOT (removed|remove) (me|us) (from|off|AFTER)* $',
  '!NOT REMOVE MINE OFF YOUR* LIST',
  '!NOT REMOVE MINE OFF AFTER* $',
  '!NOT REMOVE MINE OFF YOUR* (this|here|these|it|that) AFTER* $',
  '!NOT REMOVE MINE OFF ~ (list|lists)',
  '(appreciate|prefer|want|like|request|ask for) no (further|more|future)? THESE* (COMM|contact)',
  '(if|that|wish) you (stop|stopped|quit|would stop|could stop|stopped|would quit) THESE* (SENDING|COMM)',
  '(knock it off|cut it out|give it a rest|lay off|ease up|cool it) with THESE* COMM',
  '(one more|another|any more) (text|message|sms) and (i|im|ill)',
  '(have to|ive to|gotta|need to|must i|times) (say|tell|text|type|reply)? (you)? stop AFTER* $',
  '!NOT (remove|take|delete|erase) (me|us) (off|from|of)* (this|here|these|it|your|all) !THING',
  '!NOT (get|take) (me|us) off (of)? (this|these|your) !THING',
  '!NOT (get|take) (me|us) off (of)? this (damn|stupid)? thing',
  '!NOT (lose|forget|delete|erase|remove|drop|scrub) (this|my|our) (number|phone|cell|contact|info|name) !OFTHING',
  '(want|like|be|get|wants|taken|removed) (to)? (be)? (off|taken off|removed from|out of|off of) (of)? YOUR* LIST',
  '(put|add|place|on) ~ (dont|no) (call|contact|text|message) (list)?',
  'dont (call|contact|text) (list|registry)',
  '!NOT UNSUB !OFTHING',
  'sign me out of ~ COMM',
  '(unenroll|deregister|unregister|disenroll) me',
  // Consent.
  '!NOT (revoke|revoking|withdraw|withdrawing|rescind|rescinding|remove) CONSENT',
  'CONSENT (is|has|been|was|now)* (revoked|withdrawn|rescinded|cancelled|canceled|denied)',
  'you (dont|didnt|never|nolonger|havent|do not) (have|get|got|had)* CONSENT',
  '(dont|didnt|never|not|no) (give|gave|given|provide|provided|grant|granted) (you|anyone)? CONSENT',
  '(dont|didnt|never|not) (consent|consented|authorize|authorized)',
  '(dont|didnt|never|nolonger) have my CONSENT',
  'without my CONSENT',
  '(never|didnt|havent|not) (opt|opted|opting) in',
  '(never|didnt|dont (remember|recall)) ' +
    '(signed|sign|signing|subscribed|subscribe|subscribing|asked|ask|asking|requested|request|agreed|agree) ' +
    '(up|in|to|for|get|receive|be)* (this|these|it|your|any|texted|contacted|COMM) ' +
    '!(form|forms|document|documents|yet)',
  '^ FILLER* (i)? (never|didnt) (subscribed|subscribe|signed up|sign up|agreed|agree) AFTER* $',
  // Go away.
  '!NOT leave (me|us|my phone) (the (hell|fuck|heck))? (alone|be|in peace)',
  '(im|i|am|will|be|ill|have|ive|just|now|FILLER)* (blocking|blocked|block) (you|this number|your number)',
  '(you are|youre|your|youve been) blocked',
  // Spanish.
  '(nunca|jamas) (me|nos) VUELVA? (ESCRIBA|MANDE)',
  '^ FILLER* no (ESCRIBA|MANDE) AFTER* $',
  '(alto|fin) (a|de) (los|estos|sus)? (messages|texts|sms)',
  '(stop|para|pare|parar|paren|ya stop) (de|con) (mandar\\w*|escribir\\w*|enviar\\w*|molestar\\w*|los|tus|sus|estos)',
  'no (me|nos) VUELVA? ESCRIBA',
  'no (me|nos) VUELVA? MANDE (mas|nada|sus|tus|estos|messages?|texts?|ya|AFTER)* $',
  'no (me|nos) VUELVA? MANDE (mas|nada|sus|tus|estos)* (messages?|texts?|sms)',
  '(deje|deja|dejen|dejes) de ' +
    '(escribir|mandar|enviar|molestar|textear|contactar|llamar|mandarme|escribirme|enviarme|molestarme|textearme' +
    '|contactarme|llamarme)',
  'no (quiero|deseo|necesito|quisiera) (recibir)? (mas|sus|tus|estos|ningun)* ' +
    '(message|messages|text|texts|sms|contacto|nada)',
  'no (quiero|deseo) que (me|nos) ' +
    '(escriban|escriba|manden|mande|envien|envie|contacten|contacte|molesten|moleste|texteen|llamen|llame)',
  '(no|basta|ya) (mas|ya|de|mas de)* (message|messages|text|texts|sms)',
  'no (MANDE|ESCRIBA) (mas|nada|messages?|texts?)',
  '(dejeme|dejame|dejenme|dejenos|dejanos) (en paz|tranquil\\w+)',
  '(dar|darme|darnos|deme|denme|dame|dar) de baja',
  '(quiteme|quitame|quitenme|saqueme|sacame|saquenme|elimineme|eliminame|borreme|borrame|borrenme|quitarme' +
    '|eliminarme|borrarme) ' +
    '(de (la|su|esta|tu) lista|mi numero|este numero|mi number)',
  '(borre|borra|borren|borrar|elimine|elimina|eliminen|eliminar|quite|quita|quiten|quitar) mi (numero|contacto)',
  '(no autorizo|no doy|retiro|revoco|cancelo) (mi|estos|sus)* (messages|texts|permiso|consentimiento|autorizacion)',
  '(cancelar|cancele|cancelen|cancela|detener|detenga|detengan|deten|parar|paren|pare|anular|anule) ' +
    '(los|estos|sus|mis|la|de)* (subscription)? (de|a)? (messages|texts|sms|subscription)',
];

/** These may mean it: every text to the person is held until a reviewer decides. */
const possible = [
  '^ FILLER* (thats|this is|its|i have had|ive had)? (enough|quite enough|more than enough|plenty) (is enough)? ' +
    'AFTER* $',
  '^ FILLER* ' +
    '(i think|i believe|it seems|sorry|this is|its|is this|this|you|youve|youre|have|got|must|reached|texted' +
    '|texting|are|the|a)* ' +
    'wrong (number|person|guy) !(on|for my|for the|in|account|is|was)',
  '(numero|persona) equivocad\\w+',
  '^ FILLER* (im|we are)? (really)? not interested AFTER* $',
  '^ FILLER* im (done|over it|finished|through) AFTER* $',
  '^ FILLER* (this is|its|more|just)? (spam|scam|harassment|annoying|junk) AFTER* $',
  '(report|reporting|reported) (you|this number|this as|it as)',
  '(calling|call|get|getting|contact|hear from|talk to) (a|my|your)? (lawyer|attorney general)',
  '(fcc|ftc|tcpa|finra complaint)',
  'too many (texts|messages)',
  '(who|how|where) (gave|did|got) you (get)? my (number|info)',
  '(nolonger|not) (at|on)? this number',
  '^ FILLER* stop !BYAT',
  '!NOUN !NOT (POLITE|ASK) stop !BYAT',
  'stop (emailing|emails|calling|the emails|your emails)',
  '(reply|text|type|say|send|texted|replied|said) stop',
  '!NOUN !NOT !MAN stop !BYAT',
  '(get|getting|got) (way|far|so)? too many',
  '!NOT (unsubscribe|optout) !OFTHING',
  '!SELF dont EVER* call (ME|AGAIN|please|now)* (again|anymore|ever) $',
  '^ FILLER* (cancel|end|quit|remove|revoke) !BYAT !NOTNAME \\w+ (\\w+)? $',
  'cancel (my|the|this|your)* (subscription|service|services|membership|everything)',
  '^ FILLER* (cancel|end|quit|remove|revoke) (it|this|that|these|everything|all) AFTER* $',
  '(shut up|goodbye|good bye|hasta nunca|no contact) AFTER* $',
  '(dont|never) (want|need) (anything|nothing) (from you)? $',
  '^ FILLER* ' +
    '(unfollow|mute|block|blocked|delete|out|off|im out|count me out|nolonger interested|no interest|exit|salir' +
    '|suficiente|(reported|blocked) (and (blocked|reported))?|(dont|not|didnt) (want|wanted)) ' +
    'AFTER* $',
  '^ FILLER* (i|we)? (want|need) (out|off) AFTER* $',
  '^ FILLER* (i said no|no means no|(ya)? no me interesa|(fuck|screw) you) AFTER* $',
  '(i|we) nolonger (work|bank|invest|deal) with',
  '(i|we|ive) (have|got)? (a)? (new|different|another) (advisor|adviser|broker|firm) $',
  '(not|isnt|nolonger|wasnt) \\w+ (number|phone|cell) (anymore)? $',
  'stop (this|these|that|it|all|with)',
  '!OK !NOT NEGATIVE ~ COMM !((and|while|or) (driving|drinking))',
  'COMM ~ NEGATIVE',
  '(who|why) (is|are|do|does|keeps) ~ (texting|messaging) me',
];

// A pattern for each: one pattern of all would try every alternative at every word, up to ten times slower.
const patterns = lazily(() => ({
  clear: clear.map(patternOf),
  possible: possible.map(patternOf),
  alone: patternOf('^ POLITE* WEAK POLITE* $'),
  notAName: patternOf('(THING|NOTNAME)'),
}));

export function saysStop(clause: string): boolean {
  return patterns().clear.some((pattern) => clause.search(pattern) >= 0);
}

export function maySayStop(clause: string): boolean {
  return patterns().possible.some((pattern) => clause.search(pattern) >= 0);
}

/** A word that means stop only if the message has no other: CANCEL, but not "I can't come. Cancel." */
export function saysStopAlone(words: string): boolean {
  return ` ${words} `.search(patterns().alone) >= 0;
}

/** Whether these words can be the name that a reply is signed with. */
export function mayBeName(words: string): boolean {
  return ` ${words} `.search(patterns().notAName) < 0;
}

function patternOf(phrase: string): RegExp {
  return phrasesPattern([phrase], optOutVocabulary);
}

/** Made at the first reply: most commands never read one. */
function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
