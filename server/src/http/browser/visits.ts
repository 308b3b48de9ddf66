import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { deviceSeconds } from '../../domain/sign-in/devices.ts';
import { isFresh, type NewSession } from '../../domain/sign-in/sessions.ts';
import type { Attempt } from '../../domain/sign-in/sign-in-failures.ts';
import { type CookieName, cookieJar } from './cookies.ts';
import { formDoor } from './forms.ts';

type Sessions<Session> = {
  find(token: string, request: FastifyRequest): Promise<Session | null>;
  end(token: string): Promise<void>;
};

export type BrowserVisits<Session extends { signedInAt: Date }> = ReturnType<typeof browserVisits<Session>>;

/** What the handlers of pages work with: the domain, the forms, and who is signed in, by the cookie of that name. */
export function browserVisits<Session extends { signedInAt: Date }>(
  deps: Deps,
  name: CookieName,
  sessions: Sessions<Session>,
) {
  const cookies = cookieJar(deps.config.publicUrl);
  const forms = formDoor(cookies, deps.config);

  const sessionToken = (request: FastifyRequest) => cookies.read(request, name);

  async function forget(request: FastifyRequest): Promise<void> {
    const token = sessionToken(request);
    if (token) await sessions.end(token);
  }

  async function sessionOf(request: FastifyRequest): Promise<Session | null> {
    const token = sessionToken(request);
    return token ? sessions.find(token, request) : null;
  }

  return {
    deps,
    forms,
    sessionToken,
    sessionOf,
    /** Only if they signed in just now: for changes to how somebody signs in. */
    async freshSessionOf(request: FastifyRequest): Promise<Session | null> {
      const session = await sessionOf(request);
      return session && isFresh(deps, session) ? session : null;
    },
    attemptOf(request: FastifyRequest): Attempt {
      return {
        address: request.ip,
        device: cookies.read(request, 'device'),
        browser: browserOf(request),
        traceId: request.id,
      };
    },
    /** Signs the browser in, replacing anyone who was signed in. */
    async begin(request: FastifyRequest, reply: FastifyReply, { token, device }: NewSession): Promise<void> {
      await forget(request);
      cookies.set(reply, name, token);
      forms.renewToken(reply);
      if (device) cookies.set(reply, 'device', device, deviceSeconds);
    },
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      await forget(request);
      cookies.clear(reply, name);
      forms.renewToken(reply);
    },
  };
}

const browsers: [name: string, says: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];
const systems: [name: string, says: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['Chromebook', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** `Safari on iPhone`. What a browser says of itself may be wrong: it helps people to tell their own apart, and decides nothing. */
function browserOf({ headers }: FastifyRequest): string {
  const said = headers['user-agent'] ?? '';
  const find = (known: typeof browsers) => known.find(([, says]) => says.test(said))?.[0];
  const [browser = 'A browser', system] = [find(browsers), find(systems)];
  return system ? `${browser} on ${system}` : browser;
}
