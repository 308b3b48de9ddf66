import type { FastifyReply, FastifyRequest } from 'fastify';

export type CookieName = 'session' | 'form';
const valueForm = /^[\w-]{43}$/;

/** The cookies of the advisor's browser: 256 random bits each, for this host alone, out of reach of scripts. */
export function cookieJar(publicUrl: string) {
  // Browsers take a `__Host-` cookie only from the host itself over https: no subdomain can plant one.
  const secure = publicUrl.startsWith('https://');
  const nameOf = (name: CookieName) => `${secure ? '__Host-' : ''}assent-${name}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

  return {
    read(request: FastifyRequest, name: CookieName): string | null {
      const start = `${nameOf(name)}=`;
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const value = pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? '';
      return valueForm.test(value) ? value : null;
    },
    set(reply: FastifyReply, name: CookieName, value: string): void {
      reply.header('set-cookie', `${nameOf(name)}=${value}; ${attributes}`);
    },
    clear(reply: FastifyReply, name: CookieName): void {
      reply.header('set-cookie', `${nameOf(name)}=; ${attributes}; Max-Age=0`);
    },
  };
}

export type CookieJar = ReturnType<typeof cookieJar>;
