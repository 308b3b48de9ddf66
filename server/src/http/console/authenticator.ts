import type { FastifyReply } from 'fastify';
import type { SetUp } from '../../domain/sign-in/staff-credentials.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { qrCode } from '../browser/qr-code.ts';
import { described, type PageProblem } from '../browser/sign-in-parts.ts';

type AuthenticatorPage = {
  setUp: SetUp;
  /** Where the app's first code goes, and what else goes with it. */
  action: string;
  fields: Record<string, string>;
  problem?: PageProblem | undefined;
};

export const wrongCode = {
  status: 400,
  text: 'That code isn’t right, or it was used before. Enter the one that the app shows now.',
};

/** The second step after a password: the app gets its secret, and its first code proves that. */
export function sendAuthenticatorPage(
  reply: FastifyReply,
  { setUp, action, fields, problem }: AuthenticatorPage,
): FastifyReply {
  const title = 'Set up your authenticator app';
  const { link, secret, step } = setUp;
  const content = html`<main class="card">
<h1>${title}</h1>
<p>After your password, the console asks for a code from this app. Any app for one-time codes works, and most password managers do.</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<h2>1. Add the account to the app</h2>
${qrCode(link, 'QR code for your authenticator app')}
<p>Scan the code with your phone, or <a href="${link}">open the app on this device</a>. You can also type this key:</p>
<p class="secret"><code>${grouped(secret)}</code></p>
<h2>2. Enter the code that it shows</h2>
<form method="post" action="${action}">
${hidden({ ...fields, step })}
${codeField('Code from the app', 'numeric', problem)}
<button class="button main full">Continue</button>
</form>
</main>`;
  return sendPage(reply, { title, content, status: problem?.status });
}

/** Shown once: we keep only their hashes. */
export function sendRecoveryCodes(
  reply: FastifyReply,
  codes: string[],
  next: { path: string; name: string },
): FastifyReply {
  const title = 'Keep your recovery codes';
  const content = html`<main class="card">
<h1>${title}</h1>
<p>If you lose your phone, one of these signs you in instead of the app’s code. Each works once. Save them in your password manager, or print this page.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="notice warn">This is the only time they are shown. Codes from before no longer work.</p>
<p><a class="button main full" href="${next.path}">${next.name}</a></p>
</main>`;
  return sendPage(reply, { title, content });
}

export function codeField(label: string, keyboard: 'numeric' | 'text', problem: PageProblem | undefined): Html {
  return html`<div class="field">
<label for="totp">${label}</label>
<input id="totp" name="totp" inputmode="${keyboard}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="40"${described(problem !== undefined)} autofocus>
</div>`;
}

/** In fours, as people read them. */
function grouped(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}
