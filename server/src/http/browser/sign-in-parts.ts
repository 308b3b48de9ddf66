import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InvitationRefusal } from '../../domain/sign-in/invitations.ts';
import { passwordLengthMin } from '../../domain/sign-in/passwords.ts';
import { type Html, hidden, html } from './page.ts';

/** What the pages on which advisors and staff sign in have in common. */

export type PageProblem = { status: number; text: string };

/** Why an invitation isn't accepted, and which field that is about. */
type InvitationProblem = PageProblem & { about?: 'password' | 'link' };
export type InvitationForm = { email?: string; code?: string; problem?: InvitationProblem };
export const differ = { status: 400, text: 'The two passwords are different.', about: 'password' } as const;
const short = {
  status: 400,
  text: `A password needs at least ${passwordLengthMin} characters.`,
  about: 'password',
} as const;
/** The same for every reason, so that nobody learns which accounts there are. */
export const unknown = {
  status: 400,
  text: 'This link doesn’t work for that email. It may have been used, have expired, or have been replaced by a newer one. Ask for a new link where you got this one.',
  about: 'link',
} as const;

export function invitationProblem(
  reply: FastifyReply,
  result: InvitationRefusal | { refused: 'short' },
): InvitationProblem {
  if (result.refused === 'throttled') return throttled(reply, result.retryAfterSeconds);
  return result.refused === 'short' ? short : unknown;
}

export function throttled(reply: FastifyReply, retryAfterSeconds: number, passkeys = false): PageProblem {
  reply.header('retry-after', String(retryAfterSeconds));
  return { status: 429, text: `${tooMany(retryAfterSeconds)}${passkeys ? ' A passkey still works.' : ''}` };
}

export function sendTooMany(reply: FastifyReply, retryAfterSeconds: number): FastifyReply {
  const message = tooMany(retryAfterSeconds);
  return reply.code(429).header('retry-after', String(retryAfterSeconds)).send({ message });
}

function tooMany(seconds: number): string {
  return `Too many attempts. Wait ${seconds} second${seconds === 1 ? '' : 's'}, then try again.`;
}

/** What else tells about a field: its rule, and the problem above the form if that is about it. */
export function described(isWrong: boolean, rule = ''): Html {
  const by = [...(isWrong ? ['problem'] : []), ...(rule ? [rule] : [])].join(' ');
  return html`${isWrong && html` aria-invalid="true"`}${by !== '' && html` aria-describedby="${by}"`}`;
}

/** Who signs in, with their password. */
export function passwordFields(email: string, problem: PageProblem | undefined): Html {
  const isWrong = problem !== undefined;
  return html`<div class="field">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required maxlength="320" value="${email}"${described(isWrong)}${!email && html` autofocus`}>
</div>
<div class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000"${described(isWrong)}${email && html` autofocus`}>
</div>`;
}

/** A password to be chosen, twice. */
export function newPasswordFields(problem?: InvitationProblem): Html {
  const isWrong = problem?.about === 'password';
  return html`<div class="field">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${passwordLengthMin}" maxlength="1000"${described(isWrong, 'password-rule')}>
<p class="facts hint" id="password-rule">At least ${passwordLengthMin} characters.</p>
</div>
<div class="field">
<label for="repeated">Repeat the password</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required maxlength="1000"${described(isWrong)}>
</div>`;
}

/** What a link to choose how to sign in has in it. */
export function linkFields({ email = '', code = '', problem }: InvitationForm): Html {
  const isWrong = problem?.about === 'link';
  return html`<div class="field">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="100" value="${code}"${described(isWrong, 'code-rule')}>
<p class="facts hint" id="code-rule">The last part of your link, after “code=”.</p>
</div>
<div class="field">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${email}"${described(isWrong)}>
</div>`;
}

type Passkeys = { path: string; formToken: string; origin: string };

/** Hidden until the script finds that passkeys work here: the button does nothing without it. */
export function passkeySignIn(
  { path, formToken, next, origin }: Passkeys & { next: string },
  { isOnlyWay }: { isOnlyWay: boolean },
): Html {
  return html`<div hidden data-passkey-sign-in data-path="${path}" data-origin="${origin}" data-form-token="${formToken}" data-next="${next}">
${!isOnlyWay && html`<p class="or">or</p>`}
<p class="notice bad" role="alert" hidden></p>
<button class="button${isOnlyWay && ' main'} full" type="button"${isOnlyWay && html` autofocus`}>Sign in with a passkey</button>
</div>
${isOnlyWay && passkeyElsewhere('sign in', origin)}`;
}

/** Hidden until the script finds that passkeys work here. The named fields of the page go with it. */
export function passkeyAdding({
  path,
  formToken,
  origin,
  focused,
  fields = '',
}: Passkeys & { focused: boolean; fields?: string }): Html {
  return html`<div hidden data-passkey-adding data-path="${path}" data-fields="${fields}" data-origin="${origin}" data-form-token="${formToken}">
<p class="notice bad" role="alert" hidden></p>
<button class="button main" type="button"${focused && html` autofocus`}>Add a passkey</button>
</div>
${passkeyElsewhere('add a passkey', origin)}`;
}

function passkeyElsewhere(what: string, origin: string): Html {
  return html`<p class="facts" data-passkey-elsewhere>To ${what}, open this page at ${origin} in a browser that supports passkeys and runs JavaScript.</p>`;
}

/** The sandbox's own, and some that were added. */
const shownMax = 8;

/** A click signs in as any of the sandbox's own people. */
export function sandboxSignIn(
  people: { id: number; name: string }[],
  { path, name, ...fields }: { path: string; name: string; formToken: string; next: string },
): Html {
  return html`<form method="post" action="${path}">
${hidden(fields)}
<p class="or">or, in this sandbox, as</p>
<div class="choices">
${people.slice(0, shownMax).map((each) => html`<button class="button" name="${name}" value="${each.id}">${each.name}</button>`)}
</div>
</form>`;
}

type Sentences = Record<string, string>;

/** A sentence about what was just done, or why it wasn't: the one that the URL names. */
export function confirmation({ query }: FastifyRequest, sentences: Sentences, problems: Sentences = {}): Html | null {
  const { done, wrong } = query as { done?: unknown; wrong?: unknown };
  const find = (known: Sentences, name: unknown) =>
    typeof name === 'string' && Object.hasOwn(known, name) ? known[name] : undefined;
  const [found, problem] = [find(sentences, done), find(problems, wrong)];
  if (problem) return html`<p class="notice bad" role="alert">${problem}</p>`;
  return found ? html`<p class="notice" role="status">${found}</p>` : null;
}

/** After signing in again, the button to press next has the focus. */
export function continuation(button: string): Html {
  return html`<p class="notice" role="status">You are signed in. Press ${button} to continue.</p>`;
}
