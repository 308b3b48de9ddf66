import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Deps, onReserved } from '../../deps.ts';
import { problem } from '../../domain/problems.ts';
import {
  getHandset,
  type Handset,
  type HandsetAnswer,
  type HandsetInUse,
  listHandsets,
  listMagicNumbers,
  type PhoneOwner,
  replyFromHandset,
  type ScreenText,
  type Sender,
} from '../../domain/sandbox/handsets.ts';
import { e164 } from '../../domain/shared/phone-numbers.ts';
import { isBlank, textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { asset } from '../browser/assets.ts';
import { cookieJar } from '../browser/cookies.ts';
import { formDoor } from '../browser/forms.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { addPagesHere } from './this-machine.ts';

const script = asset('handsets.js', readFileSync(new URL('browser/handsets.js', import.meta.url)));
const style = asset('handsets.css', readFileSync(new URL('browser/handsets.css', import.meta.url)));
/** A code point takes up to 12 bytes in a form, so the longest reply has 19,200. */
const formBytesMax = 32 * 1024;
/** Browsers count UTF-16 units, up to two for a code point. The server counts code points. */
const typedLengthMax = 2 * textLengthMax;
const quickReplies = ['ACCEPT', 'YES', 'NO', 'STOP', 'START', 'HELP'];

/**
 * The sandbox's phones on a screen. A browser that opens a page sends no API key, so these pages need none: the sandbox
 * listens on this machine alone, and only our own pages can send the forms.
 */
export function addHandsetsPage(app: FastifyInstance, deps: Deps): void {
  const forms = formDoor(cookieJar(deps.config.publicUrl), deps.config, formBytesMax);

  addPagesHere(app, [script, style], (scope) => {
    scope.get('/handset', async (request, reply) => {
      const { phone } = request.query as { phone?: unknown };
      const typed = typeof phone === 'string' ? phone : '';
      const number = numberIn(typed);
      if (number) return reply.redirect(pathOf(number), 303);
      return sendHandsets(reply, { inUse: await listHandsets(deps), typed, now: deps.clock.now() });
    });

    scope.get('/handset/:phone', async (request, reply) => {
      const phone = phoneOf(request);
      if (!e164.test(phone)) return reply.redirect(`/handset?phone=${encodeURIComponent(phone)}`, 303);
      const { to } = request.query as { to?: unknown };
      return sendHandset(reply, await getHandset(deps, phone), { to, formToken: forms.token(request, reply) });
    });

    /** The same screen, for the demonstration. */
    scope.get('/handset/:phone/screen', async (request) => {
      const phone = phoneOf(request);
      if (!e164.test(phone)) throw problem('not_found', 'This is not a phone number.');
      return getHandset(deps, phone);
    });

    scope.post('/handset/:phone', async (request, reply) => {
      const fields = forms.read(request);
      const phone = phoneOf(request);
      if (!e164.test(phone)) return reply.redirect('/handset', 303);
      const [to, text] = [fields('to'), fields('quick') || fields('text')];
      const media = fields('picture') ? ['sample'] : [];
      const handset = await getHandset(deps, phone);
      const problem = problemWith(handset, { to, text, media });
      if (problem) return sendHandset(reply, handset, { to, text, problem, formToken: forms.token(request, reply) });
      await replyFromHandset(onReserved(deps), phone, { to, text, media });
      return reply.redirect(`${pathOf(phone)}?to=${encodeURIComponent(to)}`, 303);
    });
  });
}

function problemWith({ senders }: Handset, { to, text, media }: Required<HandsetAnswer>): string | null {
  if (!senders.some(({ textingNumber }) => textingNumber === to)) return 'Choose who to reply to.';
  if (isBlank(text) && media.length === 0) return 'Write something first.';
  return [...text].length > textLengthMax ? `A text can have at most ${textLengthMax} characters.` : null;
}

/** The phone number in what was typed. Punctuation doesn't matter, and ten digits are a North American number. */
function numberIn(typed: string): string | null {
  const digits = typed.replace(/[^\d+]/g, '');
  const number = `${/^\+/.test(digits) ? '' : digits.length === 10 ? '+1' : '+'}${digits}`;
  return e164.test(number) ? number : null;
}

function phoneOf({ params }: FastifyRequest): string {
  return (params as { phone: string }).phone;
}

function pathOf(phone: string): string {
  return `/handset/${phone}`;
}

type Handsets = { inUse: HandsetInUse[]; typed: string; now: Date };

function sendHandsets(reply: FastifyReply, { inUse, typed, now }: Handsets): FastifyReply {
  const problem = typed && `“${typed}” is not a phone number. Write it like this: +15005550006.`;
  const content = html`<main class="sheet">
<h1>Phones</h1>
<p>Texts that the sandbox sends arrive on these phones. Open one to read its texts and reply.</p>
<form class="opening" method="get" action="/handset">
<label for="phone">Any number</label>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem}</p>`}
<div class="typing">
<input id="phone" name="phone" type="tel" required autocomplete="off" maxlength="40" value="${typed}"${problem && html` aria-invalid="true" aria-describedby="problem"`}>
<button class="button main">Open</button>
</div>
</form>
${inUse.length > 0 && html`<h2>Latest texts</h2>\n<ul class="phones">${inUse.map((each) => phoneInUse(each, now))}</ul>`}
<h2>Magic numbers</h2>
<p class="facts">They behave the same for every advisor. Any other number just receives its texts.</p>
<ul class="phones">${listMagicNumbers().map(magicNumber)}</ul>
</main>`;
  return sendPage(reply, { title: 'Phones', content, style: style.path, status: problem ? 400 : 200 });
}

function phoneInUse({ phone, owner, text, dateTime }: HandsetInUse, now: Date): Html {
  const when = dayOf(dateTime) === dayOf(now) ? timeOf(dateTime) : dayOf(dateTime);
  return html`<li><a href="${pathOf(phone)}"><span class="number">${phone}</span>
<span class="owner">${owner?.name}</span>
<time datetime="${dateTime.toISOString()}">${when}</time>
<span class="last" dir="auto">${text === '' ? 'Picture' : (text ?? gone)}</span></a></li>`;
}

function magicNumber({ phone, owner }: { phone: string; owner: PhoneOwner }): Html {
  return html`<li><a href="${pathOf(phone)}"><span class="number">${phone}</span>
<span class="owner">${owner.name}</span>
<span class="about">${owner.about}</span></a></li>`;
}

type HandsetView = {
  /** The requested recipient; by default the one who texted last. */
  to: unknown;
  text?: string;
  problem?: string;
  formToken: string;
};

function sendHandset(reply: FastifyReply, handset: Handset, answering: HandsetView): FastifyReply {
  const { phone, owner, senders, texts } = handset;
  const content = html`<main class="wide handset">
<section class="phone" aria-labelledby="number">
<header class="owner-bar">
<a class="back" href="/handset" aria-label="All phones">‹</a>
<h1 id="number">${phone}</h1>
${owner && html`<p>${owner.name}</p>`}
</header>
<div class="screen" role="log" aria-label="Texts" tabindex="0">
<ol class="texts" data-texts>${texts.map((text, index) => bubble(text, texts[index - 1], senders))}</ol>
<p class="nothing">No texts yet. Texts to this number appear here as they arrive.</p>
</div>
${answerForm(handset, answering)}
</section>
<div class="side">
${owner && html`<h2>What it does</h2>\n<p>${owner.about}</p>`}
<h2>Consent to texts from</h2>
<ul class="consents" data-consents>${senders.map(consent)}</ul>
<p class="facts" role="status" data-connection></p>
<noscript><p class="facts">Reload the page to see new texts.</p></noscript>
</div>
</main>`;
  const status = answering.problem ? 400 : 200;
  return sendPage(reply, { title: phone, content, script: script.path, style: style.path, status });
}

/** A text, under its day if it is the day's first, and under the other side's name if that has changed. */
function bubble(
  { id, from, textingNumber, text, media, status, dateTime }: ScreenText,
  before: ScreenText | undefined,
  senders: Sender[],
) {
  const sameDay = before && dayOf(before.dateTime) === dayOf(dateTime);
  const sameThread = sameDay && before.from === from && before.textingNumber === textingNumber;
  const name = senders.find((sender) => sender.textingNumber === textingNumber)?.name ?? textingNumber;
  return html`<li class="text ${from === 'phone' ? 'sent' : 'received'}" id="text-${id}">
${!sameDay && html`<p class="day">${dayOf(dateTime)}</p>`}
${!sameThread && html`<p class="whose">${from === 'phone' ? `to ${name}` : name}</p>`}
${media > 0 && html`<p class="attached">${media === 1 ? 'Picture' : `${media} pictures`}</p>`}
${text !== '' && html`<p class="bubble" dir="auto">${text ?? gone}</p>`}
<p class="below"><time datetime="${dateTime.toISOString()}">${timeOf(dateTime)}</time> <span data-status>${status && ` · ${statuses[status] ?? status}`}</span></p>
</li>`;
}

/** What the sender knows about a text on the screen. */
const statuses: Record<string, string> = {
  submitting: 'Sending',
  sent: 'Sent, no receipt yet',
  delivered: 'Delivered',
  undelivered: 'Undelivered',
  in_doubt: 'In doubt: the answer was lost',
};

function answerForm({ phone, senders, texts }: Handset, { to, text = '', problem, formToken }: HandsetView): Html {
  const chosen = senders.find(({ textingNumber }) => textingNumber === to)?.textingNumber;
  const latest = texts.findLast(({ from }) => from === 'advisor')?.textingNumber;
  const option = ({ name, textingNumber }: Sender) =>
    html`<option value="${textingNumber}"${textingNumber === (chosen ?? latest) && html` selected`}>${name} · ${textingNumber}</option>`;
  return html`<form class="answer" method="post" action="${pathOf(phone)}" autocomplete="off" data-answer>
${hidden({ formToken })}
<p class="notice bad" role="alert" id="problem" data-problem${!problem && html` hidden`}>${problem}</p>
<div class="to"><label for="to">To</label><select id="to" name="to">${senders.map(option)}</select></div>
<div class="typing">
<input name="text" aria-label="Your reply" placeholder="Your reply" maxlength="${typedLengthMax}" value="${text}"${problem && html` aria-invalid="true" aria-describedby="problem"`}>
<button class="button main">Send</button>
</div>
<div class="quick">${quickReplies.map((word) => html`<button name="quick" value="${word}">${word}</button>`)}
<button name="picture" value="sample">Picture</button></div>
</form>`;
}

function consent({ name, state, isHeld, held }: Sender): Html {
  const known = state ?? 'unknown';
  return html`<li><span>${name}</span> <span class="state ${known}">${known.replaceAll('_', ' ')}</span>
${isHeld && html`<p class="held">Texts are held because a reply may mean stop. START releases them. ${waiting(held.possible_opt_out)}</p>`}
${held.supervision > 0 && html`<p class="held">The firm’s supervision rules hold texts until a reviewer approves them. ${waiting(held.supervision)}</p>`}
</li>`;
}

function waiting(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 text is waiting.' : `${count} texts are waiting.`;
}

const gone = '(no longer kept)';
/** In this machine's time zone, which is also the browser's. */
const days = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' });
const times = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

function dayOf(date: Date): string {
  return days.format(date);
}

function timeOf(date: Date): string {
  return times.format(date);
}
