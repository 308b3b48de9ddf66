import type { FastifyReply, FastifyRequest } from 'fastify';
import { passwordLengthMin } from '../../domain/sign-in/passwords.ts';
import { type Html, html } from './page.ts';

/** What the pages on which advisors and staff sign in have in common. */

export type PageProblem = { status: number; text: string };

/** Why an invitation isn't accepted, and which field that is about. */
export type InvitationProblem = PageProblem & { about?: 'password' | 'link' };
export const differ = { status: 400, text: 'The two passwords are different.', about: 'password' } as const;
export const short = {
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

export function throttled(reply: FastifyReply, retryAfterSeconds: number, passkeys = false): PageProblem {
  reply.header('retry-after', String(retryAfterSeconds));
  return { status: 429, text: `${tooMany(retryAfterSeconds)}${passkeys ? ' A passkey still works.' : ''}` };
}

export function sendTooMany(reply: FastifyReply, retryAfterSeconds: number): FastifyReply {
  const message = tooMany(retryAfterSeconds);
  return reply.code(429).header('retry-after', String(retryAfterSeconds)).send({ message });
}

/** After codes of the console it may be minutes; all else waits for ten seconds at most. */
function tooMany(seconds: number): string {
  const wait = seconds < 120 ? `${seconds} second${seconds === 1 ? '' : 's'}` : `${Math.ceil(seconds / 60)} minutes`;
  return `Too many attempts. Wait ${wait}, then try again.`;
}

/** That the problem above the form is about this field. */
export function described(problem: PageProblem | undefined): Html | undefined {
  return problem && html` aria-invalid="true" aria-describedby="problem"`;
}

type Passkeys = { path: string; formToken: string; origin: string };

/** Hidden until the script finds that passkeys work here: the button does nothing without it. */
export function passkeySignIn({ path, formToken, next, origin }: Passkeys & { next: string }): Html {
  return html`<div hidden data-passkey-sign-in data-path="${path}" data-origin="${origin}" data-form-token="${formToken}" data-next="${next}">
<p class="or">or</p>
<p class="notice bad" role="alert" hidden></p>
<button class="button full" type="button">Sign in with a passkey</button>
</div>`;
}

/** Hidden until the script finds that passkeys work here. */
export function passkeyAdding({ path, formToken, origin, focused }: Passkeys & { focused: boolean }): Html {
  return html`<div hidden data-passkey-adding data-path="${path}" data-origin="${origin}" data-form-token="${formToken}">
<p class="notice bad" role="alert" hidden></p>
<button class="button main" type="button"${focused && html` autofocus`}>Add a passkey</button>
</div>
<p class="facts" data-passkey-elsewhere>To add a passkey, open this page at ${origin} in a browser that supports passkeys and runs JavaScript.</p>`;
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
