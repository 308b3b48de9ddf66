/**
 * A reasonable person reads these as "stop texting me". In the language of shared/text/phrases.ts, for one clause, in words as
 * reply-spelling.ts reads them; opt-out-vocabulary.ts has the words in capitals.
 */
export const clearWordings = [
  // The clause says stop, with nothing but courtesy around it.
  '^ FILLER* ASK* FILLER* LOOSE AFTER* $',
  '^ FILLER* ASK* FILLER* STOPS THINGS* AFTER* $',
  '^ FILLER* STOPS FILLER* STOPS',
  '^ FILLER* (remove|take) (me|us) (off)? SUBJECT',
  '!NOUN !NOT (POLITE|spam|harassment|interested|number|time) STOPS AFTER* $',
  '!NOUN !NOT STOPS please AFTER* $',
  '(for the (last|final|second|third|umpteenth|\\w+th) time|how many times|once again|(texting|messaging' +
    '|contacting|calling) me) ' +
    'FILLER* STOPS AFTER* $',
  '^ FILLER* remove POLITE* $',
  '^ FILLER* STOPS SUBJECT',
  '!NOUN !NOT ASK FILLER* STOPS AFTER* $',
  '^ FILLER* (im|i)? (am)? (reply|replying|text|texting|type|typing|send|sending|word) stop $',
  '^ FILLER* STOPS (end|quit|cancel|unsubscribe|optout|stop|remove|all)* AFTER* $',
  '^ FILLER* WEAK (or|and)? LOOSE AFTER* $',
  '^ this is !NOUN \\w+ (\\w+)? STOPS AFTER* $',
  '(my|the) (answer|reply|response) is (still)? STOPS AFTER* $',
  '^ FILLER* STOPS is my (answer|reply|response)',
  '^ FILLER* (cancel|end|terminate) (me|my number|this number) AFTER* $',
  // Stop, and texts.
  '^ FILLER* STOPS THESE* THINGS AFTER* $',
  '(COMM|this|these|those|they) (really|just)? (need|needs|has|have|must|got|gotta|should|better) (to)? (stop|end' +
    '|cease) AFTER* $',
  '!NOUN !NOT STOP THESE* SENDING my RELATIVE',
  '(tired|sick) of ~ (these|COMM)',
  '!NOUN !NOT STOPS !(charging|billing|paying|emailing|mailing|sending|making|giving|costing|killing|taxing' +
    '|telling|showing) ' +
    '\\w+ing (on|at|to|with)? (me|us|my phone) AFTER* $',
  '(do without|live without|happier without|better off without|spare me|save|skip|pass on|good on|over|had it with' +
    '|had enough of' +
    '|through with|fed up with) (the|these|your|all|of|any)* (texts|messages|texting|sms|alerts|reminders)',
  'keep your (texts|messages) (to yourself|$)',
  'not (one more|another|a single|one) (text|message)',
  '(nobody|noone|no one) (texts|text|messages|contacts) me',
  '(get|stay|keep) (the (hell|fuck))? (off|out of|away from) (of)? my (phone|cell|number)',
  'appreciate (it)? (if)? you (not|didnt|dont) (texting|messaging|contacting|text|texted|message|contact) ME',
  '!NOUN !NOT STOP THESE* SENDING FILLER* ME',
  '!NOUN !NOT STOP THESE* SENDING FILLER* AFTER* $',
  '!NOUN !NOT STOP THESE* SENDING AGAIN',
  '!NOUN !NOT STOP THESE* SENDING (or|and) (texting|messaging|calling)',
  'ASK STOP THESE* (SENDING|COMM)',
  '!NOUN !NOT STOP THESE* COMM !(and|of|from my)',
  '!NOUN !NOT STOP THESE* sending ME? THESE* COMM',
  '!NOUN !NOT STOP THESE* sending ME? THESE* THINGS* AFTER* $',
  '!NOUN !NOT STOP (getting|receiving) ~ (COMM|this|these|those|it)',
  '(turn|switch|shut) (this|these|it|them|those|(the)? (texts|messages|alerts|notifications)) off !(and)',
  '!NOT STOP (all)? (this|these) AFTER* $',
  '!NOT (want|like|need|prefer|wish|get) (for)? THESE* (COMM|this|these|it|them) to (stop|end|cease) AFTER* $',
  'COMM (are|is)? (unwelcome|unwanted|not (welcome|wanted|appreciated|needed|allowed|authorized))',
  'not (allowed|authorized|permitted|welcome|ok|okay|supposed|fine) to TEXT ME',
  'you (cant|may not|should not|shouldnt|must not|arent (supposed|allowed) to) (be)? TEXT ME',
  '(done|finished|through) (with|getting|receiving) ~ (COMM|these)',
  '(sick|tired) of ~ COMM',
  '(way|how|like|love|prefer|want|wish|possible|please) (for me)? (to)? (not|nolonger) (to)? (get|be getting' +
    '|receive|be receiving) ~ (these|this|COMM)',
  '(appreciate|prefer|like|rather) not (being|be|to be|getting|get|receiving) (texted|messaged|contacted|bothered' +
    '|these|COMM|any COMM)',
  '(make|let|be|is) (this|that|it)? (be)? (the|your)? (last|final) (text|message|one) (you|i|we|ever|please|$)',
  '(if|that|wish) THESE* COMM (would|could|to)? (stopped|ended|ceased|stop|end|cease)',
  // Don't text.
  '!SELF !WHY DONT EVER* TEXT FILLER* ME !(off|the|my|LATER)',
  '!WHY dont EVER* (text|message|contact) FILLER* ME !(the|my|LATER)',
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
  'no (need|reason) to (text|message|contact) me',
  // Not wanted.
  'UNWANTED GETTING* COMM',
  'UNWANTED GETTING* LISTED',
  '^ FILLER* (i)? UNWANTED (to|get|getting|receive|receiving|see|seeing|have)* (this|these|those|them anymore|any ' +
    'of (this|these|it)) AFTER* $',
  '(i|we|FILLER|do)* UNWANTED to (get|receive|be contacted) AFTER* $',
  '^ FILLER* (i|me)? (no|not) (want|send) (me|more|any|this|these|your)* COMM',
  '^ FILLER* no (calls|call|phone calls|phone|emails|calling|or|and|no|nor)* (text|texts|texting|messages) (or|and' +
    '|no|nor|calls|emails|call|email|AFTER)* $',
  '!SELF DONT EVER* (call|text|email|or|and|nor)* (text|message) (or|and|nor|text|call|email|me|us|AFTER)* $',
  'no more THESE* COMM',
  'no more of (this|these|those)',
  '^ FILLER* no THESE* (text|texts|texting|messages|sms|spam|contact|communication|communications) AFTER* $',
  'enough (with|of)? THESE* COMM',
  // Off the list.
  '(want|like|ask|asked|asking|request|requesting|demand|wish|prefer|need|(can|may|could|how (do|can|could)) i) ' +
    '(multiple times|again|twice|POLITE)* (to)? (be|get|have me) (removed|taken off|deleted|unsubscribed|unlisted' +
    '|opted out) ' +
    '(from|off)? YOUR* LIST? AFTER* $',
  '(have|get) me (removed|taken off|deleted|unsubscribed) (from|off)? YOUR* LIST? AFTER* $',
  '^ FILLER* (i)? (request|requesting|want|need|demand)? (immediate)? removal (from YOUR* LIST)? AFTER* $',
  '!NOT (remove|removed|delete|take|off) (from|off) YOUR* (list|lists|database|system|texts|messages) AFTER* $',
  '!NOT REMOVE !THING \\w+ (!THING \\w+)? OFF (your|this) YOUR* (list|lists|texts|messages|database)',
  '(left|kept|count me|keep me|leave me|cut me|sign me|dropped|keep us|count us) (off|out) (of)? YOUR* (LIST|these)',
  'number (anymore)? FILLER* (remove|delete) (it|this|me) AFTER* $',
  'UNWANTED ~ by (text|sms)',
  '!NOT leave (me|us) (off|out) (of)? YOUR* (LIST|this|these|it)? AFTER* $',
  '!NOT (exclude|omit|let) (me|us) (from|off)? (of)? YOUR* (LIST|this|these|it) AFTER* $',
  '!NOT (delete|erase|lose|forget) (the|this|my|all|data|and|contact|info)* (number|digits|contact|info|data) AFTER* $',
  '(get|getting|got|want|need|be) off (of)? YOUR* (list|lists)',
  '^ FILLER* REMOVE number AFTER* $',
  'forget you (ever)? (have|had) my number',
  '(honor|process) my (stop|optout|unsubscribe|removal)',
  '!NOT REMOVE my RELATIVE OFF (your|this|the)? YOUR* (list|lists|texts|messages|texting)',
  '(last|final) (text|message) i (want|ever|need)',
  '(dnc list|on (the|your|a)? dnc|suppression list)',
  '(put|add|place) ~ dnc AFTER* $',
  '(blacklist|suppress) (me|my number|this number)',
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
  '!NOT UNSUB !(of|from|for|OFTHING)',
  '!NOT UNSUB (me|us|FILLER)* (of|from|off) YOUR* (COMM|LIST|service|this|these|those|it|here|everything|all|that' +
    '|them|you|stuff|AFTER|$)',
  'sign me out of ~ COMM',
  '(unenroll|deregister|unregister|disenroll) me !(~ THING)',
  // Consent.
  '!NOT (revoke|revoking|withdraw|withdrawing|rescind|rescinding|remove|take back|taking back) CONSENT !(for (my' +
    '|the|a|that) !COMM)',
  'CONSENT (is|has|been|was|now)* (revoked|withdrawn|rescinded|cancelled|canceled|denied)',
  'you (dont|didnt|never|nolonger|havent|do not) (have|get|got|had)* CONSENT',
  '(dont|didnt|never|not|no) (give|gave|given|provide|provided|grant|granted) (you|anyone)? CONSENT',
  '(dont|didnt|never|not|nolonger) (consent|consented|authorize|authorized) !(~ THING)',
  '(dont|didnt|never|not) agree to (receive|get|be (texted|contacted)|COMM|these)',
  '(dont|didnt|never|nolonger) have my CONSENT',
  'without my CONSENT',
  '(never|didnt|havent|not) (opt|opted|opting) in',
  '(never|didnt|dont (remember|recall)) ' +
    '(signed|sign|signing|subscribed|subscribe|subscribing|asked|ask|asking|requested|request|agreed|agree) ' +
    '(up|in|to|for|get|receive|be)* (this|these|it|your|any|texted|contacted|COMM) ' +
    '!(form|forms|document|documents|yet)',
  '^ FILLER* (i)? (never|didnt) (subscribed|subscribe|signed up|sign up|agreed|agree) AFTER* $',
  // Go away.
  '!NOT leave (me|us|my phone|(my|this) number) (the (hell|fuck|heck))? (alone|be|in peace)',
  '(im|i|am|will|be|ill|have|ive|just|now|FILLER)* (blocking|blocked|block) (you|this number|your number)',
  '(you are|youre|your|youve been|this number is|your number is) blocked',
  // Spanish.
  '!(para|al) PARE (de|con|a)? ESCRIBIR',
  'PARE (de|con|a)? (los|estos|sus|tus|tantos|mis|mi|la|todos)* (messages?|texts?|sms|subscription)',
  'no (vuelva|vuelvas|vuelvan) a ESCRIBIR',
  'no (me|nos)? (siga|sigan|sigas) (escribiendo|mandando|enviando|molestando|llamando|texteando)',
  '(prefiero|preferiria|solicito|favor de|pido|quisiera|quiero|agradeceria|para) (que)? (ya)? no (me|nos)? ' +
    '(ESCRIBIR|ESCRIBA|MANDE|mandara\\w*|escribiera\\w*|enviara\\w*)',
  '(quitar|sacar|borrar|eliminar|quiten|saquen|borren|quite|saque|borre|(?:quite|saque|borre|elimine)n?(?:me|nos)) ' +
    'de (la|su|esta|tu) (list|sistema|base)',
  '(doy|den|solicito|quiero|pido) (de|la) baja',
  '(harto|harta|cansado|cansada|canse) de (sus|estos|tantos|los)* (messages|texts)',
  '(ni un|ningun|cero|sin) (message|messages|text|texts) (mas)? AFTER* $',
  '^ FILLER* ya no los quiero AFTER* $',
  '(nunca mas|jamas) (me|nos)',
  'no (tiene|tienen|tienes) (mi)? (permiso|consentimiento|autorizacion)',
  'dej(?:e|en|a|es) mi number en paz',
  '(pare|paren|para|dejen|deje|deja|dejar) (de|con)? text\\w*',
  '(stop|pare|paren|para|dejen|deje|deja) (de|con)? (escribir\\w*|escribiendo|mandar\\w*|mandando|enviar\\w*' +
    '|enviando|molestar\\w*|molestando|joder|chingar)',
  '(quiero|quisiera|deseo|favor)? dejar de recibir',
  '(dejar|deje|dejen) de (llegar\\w*|recibir\\w*)',
  '(?:para|pare|paren)le (ya|a|con|de)',
  'no autorizo (que|a|el|los|estos|ningun)',
  '(ya)? no (quiero|deseo|quisiera) (recibir|ser contactad\\w+|saber) (mas|nada|informacion|de ustedes|esto|AFTER)* $',
  '^ FILLER* ya no (quiero|deseo) (esto|nada|AFTER)* $',
  '^ FILLER* no quiero (esto|estos|nada de esto) AFTER* $',
  '(?:quit|borr|elimin|saqu|sac|cancel)(?:e|a|en|ar) (mi|este|el|mis|my|this) (number|contacto|telefono|celular|datos)',
  '(?:saca|saque|saquen|quita|quite|quiten)(?:me|nos) de (aqui|esto|todo|ahi)',
  '(nunca|jamas) (me|nos) VUELVA? (ESCRIBA|MANDE)',
  '^ FILLER* no (ESCRIBA|MANDE) AFTER* $',
  '(alto|fin) (a|de) (los|estos|sus)? (messages|texts|sms)',
  '(stop|para|pare|parar|paren|ya stop) (de|con) (mandar\\w*|escribir\\w*|enviar\\w*|molestar\\w*|los|tus|sus|estos)',
  'no (me|nos|le|les) VUELVA? ESCRIBA !(en la|por la|a las|hoy|ahora|ahorita|todavia|antes|despues|a esa)',
  'no (me|nos) VUELVA? MANDE (mas|nada|sus|tus|estos|messages?|texts?|ya|AFTER)* $',
  'no (me|nos|le|les) VUELVA? MANDE (mas|nada|sus|tus|estos)* (messages?|texts?|sms)',
  '(deje|deja|dejen|dejes) de ' +
    '(escribir|mandar|enviar|molestar|textear|contactar|llamar|mandarme|escribirme|enviarme|molestarme|textearme' +
    '|contactarme|llamarme)',
  'no (quiero|deseo|necesito|quisiera) (recibir)? (mas|sus|tus|estos|ningun)* ' +
    '(message|messages|text|texts|sms|contacto)',
  'no (quiero|deseo|quisiera) (recibir)? nada AFTER* $',
  'no (quiero|deseo) que (me|nos) ' +
    '(escriban|escriba|manden|mande|envien|envie|contacten|contacte|molesten|moleste|texteen|llamen|llame)',
  '(no|basta|ya) (mas|ya|de|mas de)* (message|messages|text|texts|sms)',
  'no (MANDE|ESCRIBA) (mas|nada|messages?|texts?)',
  '(dejeme|dejame|dejenme|dejenos|dejanos) (en paz|tranquil\\w+)',
  '(dar|darme|darnos|deme|denme|dame|dar) de baja',
  '(quiteme|quitame|quitenme|saqueme|sacame|saquenme|elimineme|eliminame|borreme|borrame|borrenme|quitarme' +
    '|eliminarme|borrarme) ' +
    '(de (la|su|esta|tu) list|(mi|este|my) number)',
  '(borre|borra|borren|borrar|elimine|elimina|eliminen|eliminar|quite|quita|quiten|quitar) mi (number|contacto)',
  '(no autorizo|no doy|retiro|revoco|cancelo) (mi|estos|sus)* (messages|texts|permiso|consentimiento|autorizacion)',
  '(stop|cancelar|cancele|cancelen|cancela|detener|detenga|detengan|deten|parar|paren|pare|anular|anule) ' +
    '(los|estos|sus|mis|mi|la|de)* (subscription)? (de|a)? (messages|texts|sms|subscription)',
];
