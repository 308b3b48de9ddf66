import type { FastifyReply, FastifyRequest } from 'fastify';

export type CookieName = 'session' | 'staff' | 'form' | 'device';

const secretForm = /^[\w-]{43}$/;

/** The cookies in the advisor's browser: 256 random bits each, for this host only, not readable by scripts. */
export function cookieJar(publicUrl: string) {
  const secure = publicUrl.startsWith('https://');
  const nameOf = (name: CookieName) => cookieName(publicUrl, name);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

  return {
    read(request: FastifyRequest, name: CookieName): string | null {
      return secretCookie(request.headers.cookie, nameOf(name));
    },
    /** Until the browser is closed, or for that many seconds. */
    set(reply: FastifyReply, name: CookieName, value: string, seconds?: number): void {
      const lasting = seconds === undefined ? '' : `; Max-Age=${seconds}`;
      reply.header('set-cookie', `${nameOf(name)}=${value}; ${attributes}${lasting}`);
    },
    clear(reply: FastifyReply, name: CookieName): void {
      reply.header('set-cookie', `${nameOf(name)}=; ${attributes}; Max-Age=0`);
    },
  };
}

/**
 * Browsers accept a `__Host-` cookie only from the host itself over https, so no subdomain can plant one. Without https, servers on
 * one machine share its cookies, so the port is in their names.
 */
export function cookieName(publicUrl: string, name: string): string {
  const { protocol, port } = new URL(publicUrl);
  return protocol === 'https:' ? `__Host-assent-${name}` : `assent-${port || 80}-${name}`;
}

export type CookieJar = ReturnType<typeof cookieJar>;

/** A cookie with 256 random bits in our format. */
export function secretCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return secretForm.test(value) ? value : null;
}
