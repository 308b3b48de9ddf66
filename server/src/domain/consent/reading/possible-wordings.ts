/** These may mean it: every text to the person is held until a reviewer decides. Written like clear-wordings.ts. */
export const possibleWordings = [
  '^ FILLER* (thats|this is|its|i have had|ive had)? (enough|quite enough|more than enough|plenty) (is enough)? ' +
    'AFTER* $',
  '^ FILLER* ' +
    '(i think|i believe|it seems|sorry|this is|its|is this|this|you|youve|youre|have|got|must|reached|texted' +
    '|texting|are|the|a)* ' +
    'wrong (number|person|guy|phone) !(on|of|for my|for the|in|account|is|was)',
  '(number|persona) equivocad\\w+',
  '^ FILLER* (i|im|am|we are|were|really|honestly)* (not|never|nolonger|aint|no) (interested|interest) ' +
    '(in (this|these|it|that|you|anything|any of (this|it|these)|your \\w+))? AFTER* $',
  '^ FILLER* (im|we are|were) (done|over it|finished|through) (here|with (you|this|your (firm|company|services)' +
    '|you guys|you people))? AFTER* $',
  '^ FILLER* (this is|its|more|just)? (reported as)? (spam|scam|harassment|annoying|junk|spammer|spammers|scammer' +
    '|scammers|creep|unwanted|illegal|blocking|garbage) AFTER* $',
  '(report|reporting|reported) (you|this number|this as|it as)',
  '(calling|getting|hear from|hearing from|contacting|hiring|(ill|will|going to|gonna) (call|get|contact)) (a|my' +
    '|your)? ' +
    '(lawyer|lawyers|attorney|attorneys|attorney general)',
  'my (lawyer|attorney) will (be in touch|contact you|be contacting you|sue) !(about|regarding|with|on|for|to)',
  '(ill|im|will|be|going to|gonna|have to|am) (sue|suing|(file|filing) ~ complaint|complaining|(press|pressing) ' +
    'charges)',
  'complaint with (the)? (fcc|ftc|finra|sec|cfpb|bbb|attorney general|state|carrier)',
  '(against|breaking|violating|violation of) (the)? (law|tcpa|my (rights|privacy))',
  'respect my (privacy|wishes|time)',
  '(fcc|ftc|tcpa|finra complaint)',
  'too many (texts|messages)',
  '(who|how|where|howd|whered) (gave|did|got)? you (get|find|got)? (my|this) (number|info|information|contact)',
  '(never|didnt) (gave|give) you (my|this) number',
  'why (am|are|do|did|is) (i|we|you) (keep|still)? (getting|get|receiving|receive|sending me) (all)? (these|those' +
    '|this $|COMM|your COMM)',
  'still (getting|receiving) ~ (these|COMM|this $)',
  '(nolonger|not) (at|on)? this number',
  '(doesnt|dont|nolonger|does not|didnt) (have|has|own|use|uses|belong|belongs) (to)? this (number|phone|cell)',
  'this (number|phone) (has|was|is|been|nolonger|belongs|got)* (changed|reassigned|disconnected|nolonger|new owner)',
  '(no|nobody|noone|no one|isnt anyone) (here)? (by|with) that name',
  'no !(one) \\w+ (lives here|at this number)',
  'dont know (you|who (you|u) are|any \\w+|that person|this person) AFTER* $',
  'idk who (you|this)',
  'the (person|man|woman|owner|client) (you|of this) ~ (deceased|died|passed|gone|dead)',
  '^ FILLER* (he|she) (has|is|had|already|just|recently|sadly)* (passed (away)?|died|deceased|dead|gone) AFTER* $',
  '(this is|its) (a|an) (work|business|company|office|shared|landline|land line|childs|kids) (phone|cell|line|number)?',
  '!NOT dont use (this|my) (number|phone|cell|it)',
  'dont (do|use|read|like|check|accept) text\\w* AFTER* $',
  'DONT EVER* TEXT FILLER* ME LATER',
  'DONT EVER* (text|message|contact|call) my RELATIVE AFTER* $',
  'DONT EVER* (reply|respond|include me) (to (me|this))? AFTER* $',
  'cant (receive|get|read|do|open) (texts|text|messages|these|sms)',
  '^ FILLER* stop !BYAT',
  '!NOUN !NOT (POLITE|ASK) stop !BYAT',
  '!NOT stop (emailing|emails|calling|the emails|your emails)',
  '(reply|text|type|say|send|texted|replied|said) stop',
  '!NOUN !NOT !MAN stop !BYAT',
  '(get|getting|got) (way|far|so)? too many',
  '!NOT (unsubscribe|optout) !OFTHING',
  '!SELF dont EVER* call (ME|AGAIN|please|now)* (again|anymore|ever) $',
  '^ FILLER* (cancel|end|quit|remove|revoke) !BYAT !NOTNAME \\w+ (!THING \\w+)? $',
  'cancel (my|the|this|your)* (subscription|service|services|membership|everything)',
  '^ FILLER* (cancel|end|quit|remove|revoke) (it|this|that|these|everything|all) AFTER* $',
  '(goodbye|good bye|hasta nunca|no contact|good riddance) AFTER* $',
  '^ FILLER* (shut up|stfu|(fuck|screw|f|go fuck|go screw|eff) (you|yourself|this)|go to hell|eat shit|bite me' +
    '|drop dead|beat it' +
    '|take a hike|scram|get (bent|stuffed|a life)|go pound sand|pound sand|kiss (off|my ass)|up yours|vete al ' +
    '(diablo|carajo))',
  '(dont|never) (want|need) (anything|nothing) from you',
  '(dont|never) want anything AFTER* $',
  'want nothing (from|to do with) (you|this)',
  'dont want (to be)? (any)? (a)? (part of|included|involved|to participate) (this|in this|AFTER)* $',
  '^ FILLER* (i)? UNWANTED (to (get|receive|see|have))? it AFTER* $',
  '^ FILLER* ' +
    '(unfollow|mute|block|blocked|delete|removed|cancelled|canceled|exit|salir|abort|leave|log out|logout|sign out' +
    '|signoff|sign off' +
    '|disable|deactivate|withdraw|rescind|disenroll|silence|(turn|shut|switch) (it|this)? off|shut it down|turn off' +
    '|leave (the)? (list|group)' +
    '|(deactivate|withdraw|block|exclude|release|drop|blacklist) me|i (withdraw|decline|object)|no (consent' +
    '|permission) (given)?|unauthorized|not (allowed|authorized|subscribed)' +
    '|suficiente|(reported|blocked) (and (blocked|reported))?|(dont|not|didnt) (want|wanted)) ' +
    'AFTER* $',
  '^ FILLER* ((i|we)? (want|need) (out|off)|(im)? out|off|count me out|let me out|keep me out (of (this|it))?) ' +
    '(please|thanks|thank you|now|sorry)* $',
  '^ FILLER* ((i (said|told you)|told you) no|no means no|(can|could) (you|we) not) AFTER* $',
  '(i|we) nolonger (work|bank|invest|deal|do business) with (you|your|this)',
  '(nolonger|not|isnt|arent|never was|aint) (a|your|an)? (client|customer|clients|customers|member) (of yours|here' +
    '|with you|AFTER)* $',
  '(moved|switched|went|transferred|changed|going|gone) (on)? (to|with)? (a|another|a different|a new|new' +
    '|different)? (ADVISOR|advisors|advisers|firms) AFTER* $',
  '(fired you|(youre|you are) fired)',
  'nolonger (need|use|want) (this|the|your|these|any)? (service|services)',
  'dont need (this|these|it|your services?) AFTER* $',
  '!NOT STOP (the|this|my|your|all|with|text|messaging)* (service|services|subscription|program)',
  'no need (for|to)? (send|text|texting|message|contact|for|get|receive|these|any|more|your|me)* (texts|text' +
    '|messages|these|message|texting) AFTER* $',
  '(i|we|ive) (have|got)? (a)? (new|different|another) (advisor|adviser|broker|firm) $',
  '(not|isnt|nolonger|wasnt) \\w+ (number|phone|cell) (anymore|please|now|$)',
  'no es (el|mi|su) (number|telefono|celular) (de|correcto)',
  '(rather than|instead of|not|and not) (to|on|by|at|via)? (my (phone|cell)|this number|text|texts|texting) ' +
    '(please|thanks|thank you)* $',
  'dont (you|ever)* do (it|this|that) again',
  '(texting|messaging) (me)? ~ (rude|inappropriate|unprofessional|illegal|unacceptable)',
  'olvid(?:e|a|en) (mi|este) number',
  '(?:borr|quit|elimin|saqu)(?:e|a|en)(?:lo|la|los)',
  'stop (this|these|that|it|all|with)',
  '(hate|sick of|tired of|fed up with|enough of|enough with|done with) (getting|all)? (this|these|it) AFTER* $',
  '(you|youre|this is|these are|its|(your)? COMM are) (are|so|very|really|just|a)* (annoying|bothering me' +
    '|harassing me|intrusive|nuisance|unwanted|pest|too much|disturbing|bugging me)',
  '(you (guys|people)? (text|message|contact|write) (me)? (way|far)? (too|so) (much|often|many))',
  '(charged|charges me|cost me|costs me|pay) (money)? (for|per|by) (these|each|every|text|texts|messages|message|COMM)',
  'COMM (cost|costs) me',
  '(text|texts|texting|messages) (on|in) my plan',
  '^ FILLER* (please)? (email|emails|phone|mail|calls|call|voice calls) only AFTER* $',
  '(only|just) (by|via|through|use|email|contact ME by|reach ME by|call) (email|phone|mail|me)? AFTER* $',
  '(by|via|through|use) (email|phone|mail|phone call) (only|please only|not text|exclusively)',
  '(email|call|phone|calls|emails|mail) (me|us)? (instead of|rather than|not) (a)? (text|texting|texts|messages' +
    '|message)',
  '(i)? (thought|already|have|ive|had)* (i)? (already) (unsubscribed|optout)',
  'thought i unsubscribed',
  'you ignored ~ stop',
  '(object|agree|consent) to (this|these|your|any|~ COMM)',
  '^ FILLER* no (to (this|these|all of this|texts)|want|send (more)?) AFTER* $',
  'part of (no|stop) (dont|do) you',
  'getting blocked',
  '(dont|never|no) (get|want|need)? (anymore|more|any) of (these|this|those)',
  'dont use it for (this|texts)',
  'dont (use|do) ~ (text|texts|texting)',
  'keep my (number|name|phone) out',
  'block my number',
  '(text|bother|bug|harass|message|find|pick on) (someone|somebody) else',
  'confirm ~ (unsubscribed|removed|removal)',
  '(last|final) warning',
  'mind your own business',
  '(mark|marking|marked|reporting|report|flagged|flagging) (you|it|this)? as (spam|junk)',
  '(nobody|noone|no one|who) asked (for|you to)',
  'never (gave|said) ~ (ok|okay|you could)',
  '(switch|move|change) me to (email|phone|mail|calls)',
  '!OK (no|dont|not|never|nolonger) !(get|got|see|receive|received|have|know|check|read|forget|hesitate|miss' +
    '|problem|understand|worry|sure|getting|receiving|mind|thanks|thank|your|stop|quit|remove|cancel|unsubscribe|he' +
    '|ha|han|hay|tengo|recibi|recibo|me|llego|llegan|need to|want (you|this|these|it)? to (stop|miss|lose|end)) ~ ' +
    '(texts|messages|sms|texting|messaging|notifications|spam|reminders) !(and|while|or|is|are|was)',
  'closed (my|our) accounts? with you',
  'left your (firm|company|office)',
  'dont (have an account|do business|bank|invest) with you',
  '(no idea who you|never heard of) (are|you|this|u)',
  '(you|your \\w+|they|these|it|yall) (all|guys)? (keep|keeps) (texting|sending|messaging|coming|calling|bothering' +
    '|contacting)',
  'wont stop (texting|messaging|buzzing|sending)',
  'COMM (wont|dont|never) stop',
  'unsubscribed (twice|already|before|again)',
  '(blowing|filling) up my (phone|cell)',
  // Spanish.
  'demasiados (messages|texts)',
  'no los quiero',
  'no (le|les|te)? (di|autorice)',
  '(vete|vayase|vayanse) al',
  '(se|te|esta|estas) (equivoco|equivocad\\w+|equivocaste)',
  '^ FILLER* equivocad\\w+ AFTER* $',
  'no soy (yo|esa|el|ella|la) (persona|que busca)? AFTER* $',
  'no conozco a',
  '(quien|como|donde) (\\w+)? (\\w+)? (mi|este) (number|telefono)',
  '(es|esto es) (spam|acoso|una estafa|estafa|fraude)',
  '(voy|vamos) a (reportar|bloquear|demandar|denunciar)\\w*',
  '^ FILLER* (bloqueado|bloqueados|reportado|suficiente|basta con esto|no quiero|no lo quiero) AFTER* $',
  '^ FILLER* (el|ella)? (ya)? (fallecio|murio) AFTER* $',
  'ya no (soy|es|somos|uso|tengo) (su|mi|de|este|cliente|clientes)* (number|cliente|clientes|telefono|el|ella)',
  'solo (por)? (correo|email|llamadas|telefono) AFTER* $',
  'prefiero (que)? (me|nos)? (llam\\w+|email|correo) AFTER* $',
  '(no|nunca|yo no) (di|dimos|he dado) ~ (permiso|consentimiento|autorizacion|number)',
  '(no|nunca) (me)? (suscribi|inscribi|registre)',
  'no (pedi|solicite) (esto|estos|nada|messages|texts|sus)',
  'no (me interesa|estoy interesad\\w+|nos interesa) AFTER* $',
  '!OK !NOT NEGATIVE ~ COMM !((and|while|or) (driving|drinking))',
  'COMM ~ NEGATIVE',
  '(who|why) (is|are|do|does|keeps) ~ (texting|messaging) me',
];
