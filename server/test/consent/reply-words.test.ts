import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import { type ReplyMeaning, readReply } from '../../src/domain/consent/reading/reply-words.ts';

const words: Record<Exclude<ReplyMeaning, 'opt_out_wording' | 'possible_opt_out' | 'other'>, string[]> = {
  opt_out: [
    'STOP',
    'STOPALL',
    'STOP ALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'OPT OUT',
    'OPT-OUT',
    'REMOVE',
  ],
  opt_in: ['START', 'UNSTOP'],
  accept: ['ACCEPT', 'YES', 'Y'],
  decline: ['NO'],
  help: ['HELP', 'INFO'],
};

const disguises: Record<string, (word: string) => string> = {
  none: (word) => word,
  'lower case': (word) => word.toLowerCase(),
  'a capital': (word) => word.charAt(0) + word.slice(1).toLowerCase(),
  spaces: (word) => `  ${word}\t `,
  'a period and spaces': (word) => ` ${word.toLowerCase()}. `,
  exclamation: (word) => `${word}!!!`,
  'a question': (word) => `¿${word}?`,
  'a line break': (word) => `${word}\r\n`,
  quotes: (word) => `“${word}”`,
  'straight quotes': (word) => `'${word}' "`,
  brackets: (word) => `[(${word})]`,
  'an emoji': (word) => `🛑 ${word} ❤️`,
  'an emoji of several characters': (word) => `${word}👨‍👩‍👧‍👦👍🏽`,
  symbols: (word) => `*~${word}~* $+=`,
  'zero-width characters inside': (word) => [...word].join('\u200b'),
  'a byte order mark and a soft hyphen inside': (word) => `\ufeff${word.charAt(0)}\ufeff\u00ad${word.slice(1)}`,
  'directional marks': (word) => `\u202e${word}\u202c\u200f`,
  'control characters': (word) => `\u0000${word.charAt(0)}\u0007${word.slice(1)}\u0085`,
  'full width': (word) => word.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  'mathematical bold': (word) =>
    word.replace(/[A-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 65 + 0x1d400)),
  'a Turkish capital': (word) => word.replaceAll('I', 'İ'),
  'a Turkish small letter': (word) => word.toLowerCase().replaceAll('i', 'ı'),
  'no-break spaces': (word) => `\u00a0${word.replaceAll(' ', '\u00a0\u00a0')}\u3000`,
  'line breaks between': (word) => word.replaceAll(' ', '\n'),
};

suite('a word that is the whole message', () => {
  for (const [meaning, list] of Object.entries(words))
    for (const word of list)
      test(`${word} means ${meaning} in every disguise`, () => {
        for (const [about, disguise] of Object.entries(disguises))
          assert.equal(readReply(disguise(word)), meaning, about);
      });

  test('is found among any white space, punctuation and zero-width characters', () => {
    const around = fc.string({
      unit: fc.constantFrom(...' \t\r\n\u00a0\u3000.,;:!?¡¿-–—_()[]{}"\'“”‘’«»*#/\\|~$+<>…·•🛑\u200b\ufe0f'),
    });
    const within = fc.string({
      unit: fc.constantFrom(...'\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u200e\u202a\ufe0f'),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(words).flatMap(([meaning, list]) => list.map((word) => [word, meaning]))),
        fc.array(fc.tuple(within, fc.boolean()), { minLength: 11, maxLength: 11 }),
        around,
        around,
        ([word = '', meaning], inside, before, after) => {
          const letters = [...word].map((letter, place) => {
            const [characters, small] = inside[place] ?? ['', false];
            return (small ? letter.toLowerCase() : letter) + characters;
          });
          assert.equal(readReply(before + letters.join('') + after), meaning);
        },
      ),
    );
  });

  test('is not found inside or next to another word', () => {
    for (const text of [
      'STOPS',
      'UNSTOPPABLE',
      'ENDED',
      'YESTERDAY',
      'KNOW',
      'YY',
      'START NOW',
      'YES PLEASE',
      'Y E S',
      'NO PROBLEM',
      'HELP ME',
      'ACCEPTED',
      'INFORMATION',
      'NOPE',
      'YES NO',
    ])
      assert.equal(readReply(text), 'other', text);
  });
});

test('a STOP after a reaction is a STOP', () => {
  for (const text of ['Liked "Your review is due" STOP', 'Loved “See you” Stop.', '👍 to "Reply STOP to end" stop'])
    assert.equal(readReply(text), 'opt_out', text);
});

suite('a word with one letter replaced by one that looks like it', () => {
  const lookAlikes = Object.entries<string>(confusables);
  for (const word of ['STOP', 'QUIT', 'END', 'CANCEL', 'UNSUBSCRIBE', 'REVOKE', 'OPTOUT'])
    test(`${word} opts out`, () => {
      let tried = 0;
      // I, l, 1 and | look the same.
      for (const written of [word, word.toLowerCase()])
        for (const [place, letter] of [...written].entries())
          for (const other of [...likeLetter(letter), ...('Il1|'.includes(letter) ? 'Il1|' : [])]) {
            const text = written.slice(0, place) + other + written.slice(place + 1);
            assert.match(readReply(text), /^opt_out/, `${text}, U+${other.codePointAt(0)?.toString(16)}`);
            tried += 1;
          }
      assert.ok(tried > 100);
    });

  function likeLetter(letter: string): string[] {
    const looks = (confusables as Record<string, string>)[letter] ?? letter;
    return lookAlikes.flatMap(([other, as]) => (as === looks ? other : []));
  }
});

suite('wording that means stop', () => {
  for (const text of lines(`
    please stop texting me
    Please stop texting me!
    PLEASE STOP TEXTING ME
    pls stop txting me
    stop texting me
    Stop texting.
    stop messaging me
    stop messaging this number
    stop contacting me
    stop bothering me please
    stop harassing us
    stop spamming me
    stop calling me
    stop blowing up my phone
    Stop with the texting
    stop all this texting please
    quit texting
    quit texting me
    Quit bothering me.
    quit it
    cease texting me
    Cease and desist.
    wrong number stop texting
    wrong number, stop
    wrong number please stop
    STOP!!! I said stop
    stop stop stop
    STOP STOP STOP STOP STOP STOP STOP STOP STOP STOP
    Stoppppp
    STOOOP
    S T O P
    s.t.o.p.
    stop please
    please stop
    Pleaseee stop
    please, stop
    ok stop
    stop now
    stop it
    STOP THIS
    I said stop
    can you please stop
    would you stop?
    I want you to stop
    I need this to stop
    you need to stop
    stop who is this
    stop i dont know you
    Stop. Who is this?
    Who is this? Stop.
    who is this please stop
    i don't know you stop please
    stop — you have the wrong number
    please cancel
    cancel please
    end, please
    please remove
    OK, unsubscribe
    don't text me again
    don’t text me again
    dont text me
    DONT TEXT ME
    don´t text me
    do not text me
    do not text
    Do not text this number again.
    please don't ever text me
    don't keep texting me
    please do not message me
    do not contact me
    Do not contact.
    do not call or text me
    Do not text or call this number
    don't call me or text me
    don't contact me anymore
    don't call me again
    don't bother me
    never text me again
    Never contact me again!
    please never text me
    You don't need to text me anymore
    no need to text me again
    don't text me at work, email is fine
    don't text me until Monday
    stop sending me texts
    stop sending me messages
    stop sending these
    Stop sending me this stuff
    stop sending me this
    Please stop sending messages to my phone
    stop sending
    stop sending me
    don't send me any more messages
    do not send me texts
    dont send me anymore
    please don't send texts
    stop the texts
    stop these messages
    stop all messages
    stop your marketing texts
    Stop the spam
    STOP SMS
    stop text alerts
    no more
    No more, please.
    no more texts
    no more messages please
    no more texting
    no texts please
    enough already
    enough with the texts
    cancel these texts
    cancel all text messages
    turn off these texts
    end text messages
    I don't want your texts
    i dont want to receive texts
    I don't want any more messages
    I do not wish to receive these messages
    I no longer want to receive texts from you
    I no longer wish to be contacted
    I don't want to be texted
    I don't want to hear from you
    I don't want you to text me
    I don't want you texting me
    remove me
    please remove me
    remove me please
    remove me from your list
    Remove me from this list!
    remove me from all lists
    take me off this list
    take me off your calling list please
    Take me off
    please take my name off your list
    take my number off your list
    get me off this list
    delete me from your contacts
    delete my number
    please delete this number
    Lose my number.
    remove my number
    remove me from this group
    unsubscribe me
    please unsubscribe
    Please unsubscribe me from these messages
    I want to unsubscribe
    how do I unsubscribe?
    unsub
    unsuscribe please
    I want to opt out
    I'd like to opt out please
    opt me out
    opt out of texts
    opting out
    how do I opt out of these messages?
    opt me out of this
    I revoke my consent
    I withdraw my consent.
    I do not consent
    I never consented to these texts
    I never gave you permission to text me
    you do not have my permission to text me
    I didn't sign up for these texts
    I never asked for texts
    leave me alone
    Leave me the hell alone
    please leave us alone
    go away
    get lost
    fuck off
    I'm blocking you
    no mas
    no más
    No más, por favor
    no mas mensajes
    ya no me escriban
    no me escribas más
    no me mandes mensajes
    no me manden más mensajes
    ya no me envíen nada
    por favor no me contacten
    no me moleste
    deje de escribirme
    dejen de mandarme mensajes
    no quiero recibir mensajes
    no quiero más mensajes
    déjame en paz
    ya basta
    quiero darme de baja
    quíteme de su lista
    Arrêtez
    p\u200blease st\u200bop text\u200bing me
    ＰＬＥＡＳＥ ＳＴＯＰ ＴＥＸＴＩＮＧ ＭＥ
    Please  🛑  stop…texting me
    Why won't you stop texting me
    you never stop texting me
    I already said stop
    I do not want this stop texting me
    I don't want this please stop
    I've asked you to stop
    For the last time stop
    not interested stop
    cease all communication
    stop these
    how do I stop this
    how do I stop getting these messages
    stop2end
    please refrain from contacting me
    please discontinue these texts
    I do not accept texts
    I'd prefer not to receive texts
    I don't want to get these
    can you please not text me
    I told you not to text me
    I told you to not contact me
    no escriba más
    how many times do I have to say stop
    not interested please remove
    I'd like for these messages to stop
    these texts are unwelcome
    no further contact please
    I never opted in to this
    stop w/ the msgs
    stop blowing my phone up
    Please stop.\\n\\nSent from my iPhone
    Stop. Thank you, Linda
    STOP John Smith
    > please stop texting me
    anular suscripción de mensajes
    alto a los mensajes
    ya no envíen mensajes por favor
    ѕtор
    ЅТОР texting me
    стоп
    st0p texting me
    $top texting me
    ST🛑P
    S-T-O-P
    sotp
    plz stpo texting me
    unsubcribe
    ot out
    stpo all
    cancellar
    stkp
    5 T 0 P
    st()p
    🇸🇹🇴🇵
    🛑 texting me
    stoptextingme
    STOP Mary Jones 555-201-3344
    no calls, texts or emails
    I can do without these texts
    I'd like to be removed from your list
    spare me these messages
    stop hounding me
    please remove my dad's number
    estoy harto de estos mensajes
    no vuelvan a escribirme
    ¿me pueden quitar de la lista?
    remove me de la lista
    What does STOP do? Take me off your list.
    plzstop
    plsstoptextingme
    dontext
    dontext me
    dontxt me
    i mean it stop
    I mean it, stop
    I no longer consent
    I no longer consent to these texts
    add me to DNC
    add me to your DNC please
    put my number on the DNC
    QUlT
    QU|T
    QUІT texting me
    pІease quІt textІng me
    stσp
    σtσp texting me
    🆂🆃🅾🅿
    🅢🅣🅞🅟 texting me
    Liked "Your review is due" stop texting me
    Loved “See you. Reply STOP to opt out.” please stop
    Liked ‘I can’t make it’ don’t text me
    I don't know who you are and I don't know how you got this number but please stop texting me, it's rude
  `))
    test(text, () => assert.equal(readReply(text), 'opt_out_wording'));
});

suite('wording that may mean stop', () => {
  for (const text of lines(`
    Wrong number
    Sorry, wrong number.
    You have the wrong number
    you've got the wrong person
    I think you have the wrong number
    you're texting the wrong person
    número equivocado
    is this the wrong number?
    not interested
    no me interesa
    That's enough
    enough
    I'm done
    this is harassment
    this is not Bob's number
    I no longer work with you
    I don't text
    who gave you my number?
    too many texts
    I want out
    exit
    fuck you
    please stop 😂
    🛑
    🛑 🛑🛑
    🖕
    don't text me before 9
    email only please
    call me instead of texting
    I'm no longer a client
    We moved to another advisor
    I'm not Bob
    He passed away
    this is a work phone
    my lawyer will be in touch if this continues
    you keep texting me
    your texts make me uncomfortable, no offense
    se equivocó de número
    ya no soy su cliente
    enough with these please
    enough with this
  `))
    test(text, () => assert.equal(readReply(text), 'possible_opt_out'));
});

suite('wording that does not mean stop', () => {
  for (const text of lines(`
    stop by my office
    Stop by my office tomorrow
    please stop by when you can
    I'll stop in on Friday
    can you stop at the bank
    don't stop
    Don't stop!
    please don't stop
    please don't stop sending these
    don't stop texting me
    please do not stop texting me
    never stop texting me these
    I don't want you to stop texting me
    I don't want these to stop
    did you stop texting me?
    can you stop the transfer
    please stop the transfer
    Stop the wire please, the amount is wrong
    stop payment on check 1043
    I need to put a stop payment on a check
    I can't stop thinking about it
    can't stop won't stop
    bus stop
    I'm at the bus stop
    bus stop please
    non-stop
    It's a non-stop flight
    nonstop
    one-stop shop
    the last stop please
    stop loss order at 40
    set a stop limit at 35
    was my stop hit?
    should I stop contributing to my 401k
    Should we stop the automatic deposits?
    stop reinvesting dividends
    please stop sending paper statements
    please stop sending me paper statements
    stop sending checks to my old address
    I stopped texting him
    stop texting and driving
    I will not text and drive
    help me stop smoking
    I want to stop working at 62
    the end of the month
    by year end
    when does the plan end?
    in the end it worked out
    At the end the text said 5%
    weekend works
    cancel my appointment on Tuesday
    please cancel the order
    please cancel my meeting tomorrow
    Something came up. Please cancel.
    can I cancel the policy
    don't cancel
    remove the fee please
    remove me from the joint account
    take me off the account
    please remove my ex-husband as beneficiary
    take me off speaker
    don't remove me
    please don't take me off the list
    don't remove me from your list
    don't delete my number
    don't lose my number
    did you remove me from the list?
    quit my job last week
    I quit smoking
    quitting time
    revoke the power of attorney
    I need to revoke my trust
    can I opt out of the pension plan
    should I opt out of Medicare Part B
    did I opt out?
    I didn't opt out
    don't unsubscribe me
    I didn't unsubscribe
    yes please
    no thanks
    No thank you
    no problem
    no worries
    no more questions
    no more than 5%
    there is no more money in it
    no mas preguntas por hoy
    no me mandes el contrato todavía
    no me mandó el mensaje
    no quiero vender
    no, nada
    text me again tomorrow
    text me
    Don't call me, text me
    don't call me today
    why don't you text me the form
    I don't text much
    you didn't text me back
    If I do not contact you by Friday, call
    if we do not contact you by Friday
    don't forget to text me
    don't hesitate to contact me
    don't bother
    don't bother me with the details
    don't write me off yet
    don't worry
    don't send the check yet
    don't send more money
    Don't send anything to my old address
    I don't want to miss your messages
    I don't want the stock
    I don't want to sell
    I don't have permission to open the file
    I gave you the wrong number for my account
    you have the wrong number on file for my wife
    I wrote down the wrong number
    leave me a message
    leave it alone
    we go away in June
    I got your message
    who is this?
    Thanks!
    ok
    sure
    help me please
    how do I start
    start the transfer
    yes, start now
    accept the offer
    nope
    maybe
    What time works?
    call me
    Please resend the email
    I blocked off Tuesday for you
    basta con firmar aquí
    What is the end date?
    Let's not stop there
    It never stops
    stopped by but you were out
    stopping by at 3
    the train stops here
    Stopwatch
    full stop
    a pit stop please
    👍
    ...
    王小明
    401k
    ok cancel
    My doctor told me to stop drinking
    I was told to stop contributing
    I'd like to stop my monthly contribution
    can you please stop the automatic payments
    please don't contact my employer
    Do not text Bob, text me
    I never got your text
    I didn't get any messages from you
    I don't get texts at work sometimes
    did you not text me?
    get me out of this stock
    get me out of this position
    get me out of this meeting
    oh stop, you flatter me
    stop it lol
    Liked “please stop texting me”
    Loved "STOP"
    the wrong number is on my statement
    cancel Friday, see you Monday
    don't text me the password, email it
    stop texting and driving campaign is great
    that's enough to cover the fee
    is that enough?
    stop by Tuesday
    stop charging me
    please remove the hold
    take my name off the joint account
    not interested in that fund
    I want to opt out of paper statements
    please set the stop now
    can't text, driving
    You can contact me anytime
    stop calling, just text me
    no me llame, mándeme mensaje
    I didn't mean to text stop
    what does reply STOP to opt out mean?
    opt out of arbitration
    I didn't authorize that trade
    unsubscribe me from the newsletter
    can you resubscribe me
    I didn't get your text
    Disliked "Reply STOP to opt out"
    👍 to "Reply STOP to opt out"
    Sure. "Reply STOP to opt out"
    Sounds good!\\n> Your review is due. Reply STOP to opt out.
    Thanks\\nFrom: Avery\\nReply STOP to unsubscribe
    That works. Reply STOP to opt out.
    enough with these numbers, let's talk
    enough with the small talk, how is the fund doing?
    i mean it, stop worrying
    i mean it stop worrying
    I mean it
    stop by, I mean it
    I no longer consent to the transfer
    I no longer consent to that trade
    add me to the account
    add me to the DNC volunteer list
    did you watch the DNC?
    plz stop by my office
    plzcall
    dontext and drive
    ill call you
    I make quilts
    Liked "Reply STOP to end"
    Liked "Reply STOP to end
    Liked "Reply "STOP" to end"
    Loved “STOP” 👍
    Liked "See you at 3" sounds good
    Loved "See you" I'll stop by at 3
    Liked “please stop texting me” thanks
  `))
    test(text, () => assert.equal(readReply(text), 'other'));

  test('nor does a text with nothing in it', () => {
    for (const text of ['', ' ', '\u200b', '\n', '!!!']) assert.equal(readReply(text), 'other');
  });
});

suite('a hostile text', () => {
  const pieces: [about: string, piece: string, meaning?: ReplyMeaning][] = [
    ['the same letter', 'a'],
    ['spaces', ' '],
    ['punctuation', '!.'],
    ['line breaks and spaces', '\n '],
    ['zero-width characters', '\u200b'],
    ['clauses of one letter', 'a. '],
    ['spaced letters', 'a b '],
    ['dots and digits', '....5'],
    ['numbers', '1 '],
    ['dashes', '--'],
    ['lines of dashes', '--\n'],
    ['quoted lines', '> a\n'],
    ['signs for letters', '$@+'],
    ['please without a request', 'please '],
    ['don’t without a verb', 'dont ever keep even '],
    ['stop without an object', 'stop all these the your ', 'possible_opt_out'],
    ['not wanting without an object', 'i do not want to receive any more of '],
    ['remove me without a list', 'remove me from all of your ', 'opt_out_wording'],
    ['don’t stop', 'dont stop '],
    ['words of several letters and digits', 'st0p1 ', 'opt_out_wording'],
    ['emoji', '👨‍👩‍👧‍👦'],
    ['stop signs', '🛑'],
    ['words without spaces', 'stoptextex'],
    ['quoted footers', '"reply stop to ', 'possible_opt_out'],
    ['flags', '\u{1f1fa}\u{1f1f8}'],
    ['Cyrillic letters', 'стоп'],
  ];
  for (const [about, piece, meaning = 'other'] of pieces)
    test(`is read: ${about}`, () => {
      assert.equal(readReply(`${longest(piece)} x`), meaning);
    });

  test('that is too long to read holds texts, unless its beginning or its end says stop', () => {
    for (const [about, piece] of pieces) {
      const text = piece.repeat(100_000 / piece.length);
      assert.match(readReply(text), /^(possible_opt_out|opt_out_wording)$/, about);
      assert.equal(readReply(`Please stop texting me. ${text}`), 'opt_out_wording', about);
      assert.equal(readReply(`${text}\nPlease stop texting me`), 'opt_out_wording', about);
      assert.match(readReply(`START ${text}`), /^(possible_opt_out|opt_out_wording)$/, about);
    }
    assert.equal(readReply(`STOP${' '.repeat(100_000)}`), 'opt_out_wording');
  });

  test('doesn’t hide a stop by characters that expand', () => {
    for (const piece of ['ﷺ', '㎯', '⑽', '#', '\u0301\u0323', '각', '中 ', '# '])
      for (const text of [
        `STOP ${longest(piece)}`,
        `${longest(piece)} STOP`,
        `${longest(piece)} stop ${longest(piece)}`,
      ])
        assert.notEqual(readReply(text), 'other', text.slice(0, 20));
    assert.equal(readReply(`STOP${'#'.repeat(1_590)}`), 'opt_out');
    assert.equal(readReply(`S${'\u0301\u0323'.repeat(700)}TOP`), 'opt_out');
    assert.equal(readReply(`${'각'.repeat(1_500)} please stop texting me`), 'opt_out_wording');
  });

  test('never makes it throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.ok(readReply(text))));
    assert.equal(readReply('\ud800STOP\udfff'), 'opt_out');
  });
});

/** As much of it as a text can have. */
function longest(piece: string): string {
  return piece.repeat(Math.floor(1_590 / piece.length));
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replaceAll('\\n', '\n'))
    .filter((line) => line !== '');
}
