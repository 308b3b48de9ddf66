/** A phone with special behavior, its owner as a contact, and what it does. adapters/carriers/sandbox does it. */
type MagicNumber = { phone: string; firstName: string; lastName: string; nickname: string; about: string };

export const magicNumbers: MagicNumber[] = [
  magic('0006', 'Pia Plain', 'Accepted from the start', 'Has accepted, and receives every text.'),
  magic('0001', 'Una Unreachable', 'Unreachable', 'Has accepted, but is unreachable: a send is a failure at once.'),
  magic('0003', 'Lars Landline', 'A landline', 'Has accepted, but is a landline: a send is a failure at once.'),
  magic(
    '0004',
    'Olga Optedout',
    'Opted out from the start',
    'Has opted out: neither a text nor a consent request is sent.',
  ),
  magic(
    '0007',
    'Uwe Undelivered',
    'Never delivered',
    'Has accepted; the carrier takes the text and reports it undelivered.',
  ),
  magic('0008', 'Theo Thanks', 'Replies Thanks!', 'Has accepted, receives the text and replies “Thanks!”.'),
  magic(
    '0009',
    'Rita Receiptless',
    'No receipt ever',
    'Has accepted and receives the text, but no receipt ever comes: it stays sent.',
  ),
  magic('0010', 'Ada Accept', 'Answers ACCEPT', 'Answers a consent request with ACCEPT.'),
  magic('0011', 'Stan Stop', 'Answers STOP', 'Answers a consent request with STOP.'),
  magic('0012', 'Nora Nothing', 'Answers nothing', 'Never answers a consent request: it stays pending.'),
  magic(
    '0013',
    'Wim Who',
    'Asks who is this?',
    'Answers a consent request with “who is this?”, and gets one reminder.',
  ),
  magic(
    '0014',
    'Cara Carrier',
    'The carrier says: opted out',
    'Has accepted, but the carrier answers that the person opted out: the text fails, and they are opted out.',
  ),
  magic(
    '0016',
    'Paul Please',
    'Answers please stop texting me',
    'Answers a consent request with “please stop texting me”, which opts out.',
  ),
  magic(
    '0021',
    'Ella Errs',
    'The carrier errs once',
    'Has accepted; the carrier fails once for each text, and the retry is delivered.',
  ),
  magic(
    '0022',
    'Ivo Indoubt',
    'The carrier’s answer is lost',
    'Has accepted and receives the text, but the carrier’s answer is lost: the text is in doubt.',
  ),
  magic(
    '0031',
    'Uma Unasked',
    'Unreachable, not asked yet',
    'Hasn’t been asked and is unreachable: a consent request is a failure.',
  ),
  magic(
    '0033',
    'Leo Landline',
    'A landline, not asked yet',
    'Hasn’t been asked and is a landline: a consent request is a failure.',
  ),
  magic(
    '0041',
    'Holly Held',
    'Texts to her are held',
    'Has accepted, then wrote something that may mean stop: every text is held until the phone texts START.',
  ),
  magic(
    '0042',
    'Nils Night',
    'It is always night there',
    'Has accepted, and it is always night there: every text is deferred by eight hours, whatever the policy.',
  ),
  magic(
    '0043',
    'Tom Toomany',
    'The carrier says: too many',
    'Has accepted; the carrier answers “too many” three times for each text, then delivers it.',
  ),
];

/** The phones' initial consent, for every advisor. Phones that aren't listed start with none. */
export const magicConsents = {
  accepted: ['0006', '0001', '0003', '0007', '0008', '0009', '0014', '0021', '0022', '0042', '0043'].map(phoneOf),
  /** They accepted too, and then wrote the text below. */
  doubtful: ['0041'].map(phoneOf),
  opted_out: ['0004'].map(phoneOf),
};

/** Our reading of replies takes it for a possible opt-out. */
export const possibleOptOut = 'Please, not so many texts.';

function magic(digits: string, name: string, nickname: string, about: string): MagicNumber {
  const [firstName = '', lastName = ''] = name.split(' ');
  return { phone: phoneOf(digits), firstName, lastName, nickname, about };
}

function phoneOf(digits: string): string {
  return `+1500555${digits}`;
}
