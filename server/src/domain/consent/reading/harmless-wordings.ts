/** The word stop, but not as a request. Written like clear-wordings.ts, for all words of a reply. */
export const harmlessWordings = [
  // Thanks for a compliment, or good news.
  'stop (it)? (you|youre|your|you are) (are)? (too|so|making me|flatter\\w*|killing|embarrass\\w*)',
  '^ (aw|aww|oh) stop (it)? (you)? $',
  '^ stop (it)? thats (so|too|really)? ' +
    '(amazing|great|awesome|hilarious|crazy|incredible|wonderful|fantastic|funny|sweet|kind|nice)',
  // They ask about the word, or take it back.
  '^ what (does|is|happens) (if|when|i|you|the|a|reply|replying|text|texting|to|mean|by|word)* KEYWORD',
  '^ if (i|you) (text|reply|say|send) KEYWORD',
  'wont (reply|text|say|send) KEYWORD',
  '(not going to|(didnt|not) mean to|accidentally) ' +
    '(reply|text|say|send|hit|type|press|replied|texted|said|sent|typed|pressed)? KEYWORD',
  '(replied|texted|said|sent|hit|typed|pressed) KEYWORD (by (mistake|accident)|accidentally)',
  'KEYWORD (\\w+)* (ignore (that|it)|please keep|keep texting|add me back)',
];

/** "Stop calling, text me": they want texts, and no calls or emails. All of these have to be so. */
export const callsRefused = {
  wantsTexts: [
    '(just|only|please|instead|can you|but|me) text (me|us|instead|only)',
    'text (me|us) (instead|only|please|here)',
    'text instead',
    '(text|texts|texting) (is|are|works) (fine|better|best|ok|okay|easier|good)',
    '(call|calls|calling|email|emails|emailing) (me)? (please)? (just)? (text|texts) (me|us|only)',
    '(mandeme|mandame|envieme|escribame|escribeme) (un)? (message|text|mejor|por)',
  ],
  ofCalls: ['(calls?|calling|emails?|emailing|mail|llame\\w*)'],
  refusesTexts: [
    '(dont|not|never|stop|quit|no more|no) (ever|send|sending|the)* (text\\w*|messag\\w*)',
    '(unsubscribe|optout|remove|consent)',
  ],
};
