// What the browser shows. Every value goes through `html`, which escapes it.

/** @typedef {import('@assent/client').WebhookEvent} Event */
/** @typedef {import('@assent/client').Account} Account */
/** @typedef {{ data: import('@assent/client').ContactSummary[], pageInfo: { totalRecord: number } }} Contacts */

export function connectPage() {
  return page(html`<section class="hello">
    <h1>Text your clients, with their consent</h1>
    <p>Connect your Assent account. You choose what this application may do, and can end it any time.</p>
    <p><a class="main" href="/connect">Connect with Assent</a></p>
  </section>`);
}

/** @type {(shown: { account: Account, contacts: Contacts, search: string, events: Event[] }) => string} */
export function homePage({ account, contacts, search, events }) {
  return page(html`<header>
    <div><h1>${account.name}</h1><p class="soft">${account.firmName} · texts from ${account.textingNumber ?? 'no number yet'}</p></div>
    <form method="post" action="/disconnect"><button>Disconnect</button></form>
  </header>
  <main>
    <section><h2>Text somebody</h2>
      <form method="post" action="/texts">
        <input type="hidden" name="key" value="${crypto.randomUUID()}">
        <label>To <input name="phone" type="tel" required pattern="\\+[0-9]{5,15}" value="+15005550010" list="phones"></label>
        <label>Text <textarea name="text" required maxlength="1600" rows="3">Your annual review is on Tuesday at 10.</textarea></label>
        <button class="main">Send with consent</button>
        <p class="soft">If they haven’t agreed yet, they are asked first, and get the text when they accept.</p>
      </form>
    </section>
    <section><h2>Contacts <span class="soft">${contacts.pageInfo.totalRecord}</span></h2>
      <form><input name="search" type="search" aria-label="Search contacts" placeholder="Search" value="${search}"></form>
      <ul>${contacts.data.map((each) => html`<li><b>${each.fullName}</b><span class="soft">${each.phone ?? 'no phone'}</span></li>`)}</ul>
      <datalist id="phones">${contacts.data.map(({ phone, fullName }) => phone && html`<option value="${phone}">${fullName}</option>`)}</datalist>
    </section>
    <section class="wide"><h2>Events <span class="soft">as they come</span></h2>
      <ul id="events" aria-live="polite">${events.map(rowOf)}</ul>
      <p class="soft empty">None yet. Send a text, and watch.</p>
    </section>
  </main>
  <script>
    new EventSource('/events').onmessage = ({ data }) =>
      document.getElementById('events').insertAdjacentHTML('afterbegin', JSON.parse(data));
  </script>`);
}

/** @type {(message: string, traceId?: string) => string} */
export function errorPage(message, traceId) {
  return page(html`<section class="hello"><h1>That didn’t work</h1><p>${message}</p>
    <p class="soft">${traceId ? `For support: ${traceId}` : ''}</p><p><a href="/">Back</a></p></section>`);
}

/** @param {Event} event */
export function rowOf({ type, dateTime, data }) {
  const { phone = '', state = '', status = '' } = /** @type {Record<string, string>} */ (data);
  const word = (state || status).replaceAll('_', ' ');
  return html`<li><time class="soft">${new Date(dateTime).toLocaleTimeString('en-US')}</time><b>${type}</b>
    <span>${phone}</span>${word && html`<span class="chip ${state || status}">${word}</span>`}</li>`;
}

/** Text that is HTML already. */
class Html extends String {}

/** @type {(strings: TemplateStringsArray, ...values: unknown[]) => Html} */
function html(strings, ...values) {
  return new Html(String.raw({ raw: strings }, ...values.map(inHtml)));
}

/** @type {(value: unknown) => string} */
function inHtml(value) {
  if (Array.isArray(value)) return value.map(inHtml).join('');
  if (value instanceof Html) return String(value);
  return String(value ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @type {(content: Html) => string} */
function page(content) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Texting with consent</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${style}</style></head><body>${content}</body></html>`;
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#17202b, #e8edf3); --soft: light-dark(#55616f, #aab6c4);
  --line: light-dark(#e2e7ed, #2a333e); --field: light-dark(#808d9c, #6b7887); --paper: light-dark(#fff, #171d25);
  --tint: light-dark(#f5f7f9, #11161c); --brand: light-dark(#0b5cad, #7db8fb); --on-brand: light-dark(#fff, #0b1a2b);
  --good: light-dark(#15683a, #82d6a2); --warn: light-dark(#8a5200, #f0c06a); --bad: light-dark(#b3261e, #ffb4ab); }
* { box-sizing: border-box; margin: 0; }
body { max-width: 960px; margin: 0 auto; padding: 24px 16px 64px; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--tint); }
h1 { font-size: 20px; } h2 { font-size: 16px; margin-bottom: 12px; } .soft { color: var(--soft); font-weight: 400; }
header { display: flex; gap: 16px; align-items: center; justify-content: space-between; margin-bottom: 24px; }
main { display: grid; gap: 16px; } @media (min-width: 720px) { main { grid-template-columns: 1fr 1fr; } .wide { grid-column: 1 / -1; } }
section { padding: 20px; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; }
.hello { max-width: 520px; margin: 12vh auto 0; padding: 40px; text-align: center; } .hello p { margin-top: 16px; }
label { display: block; margin-bottom: 12px; font-weight: 600; }
input, textarea, button, .main { font: inherit; border-radius: 8px; border: 1px solid var(--field); background: var(--paper); color: inherit; }
input, textarea { width: 100%; padding: 8px 10px; font-weight: 400; } button, .main { display: inline-block; padding: 8px 14px; font-weight: 600; text-decoration: none; cursor: pointer; }
.main { background: var(--brand); border-color: var(--brand); color: var(--on-brand); } .main + p { margin-top: 8px; } a { color: var(--brand); }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px; }
ul { list-style: none; padding: 0; } li { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 8px 0; border-top: 1px solid var(--line); font-variant-numeric: tabular-nums; }
section form + ul { margin-top: 12px; } li > .chip, li > b + .soft { margin-left: auto; } #events b { min-width: 128px; } ul:not(:empty) + .empty { display: none; }
.chip { color: var(--warn); font-weight: 600; } .chip.accepted, .chip.delivered, .chip.sent { color: var(--good); } .chip.opted_out, .chip.failed, .chip.undelivered { color: var(--bad); }
`;
