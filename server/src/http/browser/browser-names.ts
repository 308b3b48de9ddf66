import type { FastifyRequest } from 'fastify';

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
export function browserOf({ headers }: FastifyRequest): string {
  const said = headers['user-agent'] ?? '';
  const find = (known: typeof browsers) => known.find(([, says]) => says.test(said))?.[0];
  const [browser = 'A browser', system] = [find(browsers), find(systems)];
  return system ? `${browser} on ${system}` : browser;
}
