import type { LoggedPart } from './call-log.ts';

export const redacted = '[redacted]';

/** Names of headers, fields and parameters that carry a secret, whatever their case, hyphens and underscores. */
const secretNames = new Set(
  [
    'authorization',
    'proxyauthorization',
    'cookie',
    'setcookie',
    'xapikey',
    'apikey',
    'xformtoken',
    'formtoken',
    'clientsecret',
    'clientassertion',
    'assertion',
    'codeverifier',
    'accesstoken',
    'refreshtoken',
    'idtoken',
    'token',
    'secret',
    'secrets',
    'password',
    'passwd',
  ].concat('invitation', 'webhooksignature'),
);
/** Only where it can be an authorization code: in a problem it is the problem's. */
const codeNames = new Set(['code', 'devicecode', 'usercode']);

/** What can only be a secret, wherever it stands: our keys and secrets, those of webhooks, and tokens that are JWTs. */
const secretForms =
  /\b(?:ak|cs)_(?:sandbox|production)_[0-9a-z]{20,}|\bwhsec_[A-Za-z0-9+/=_-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
/** `"name": "value"` or `name=value`, in a body that is neither JSON nor a form. */
const namedValue = /(["']?)([\w-]{3,40})\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s&,;"'}\]]+)/g;

type Headers = LoggedPart['headers'];

/** The scheme stays: that it was Basic and not Bearer may be what is wrong. */
export function redactHeaders(headers: Headers): Headers {
  return headers.map(([name, value]) => {
    if (!isSecret(name)) return [name, withoutForms(value)];
    const [, scheme] = /^(bearer|basic) /i.exec(value) ?? [];
    return [name, scheme ? `${scheme} ${redacted}` : redacted];
  });
}

/** A path's query. */
export function redactPath(path: string): string {
  const at = path.indexOf('?');
  return at < 0 ? withoutForms(path) : `${withoutForms(path.slice(0, at))}?${redactForm(path.slice(at + 1))}`;
}

/** `mayHaveCode`: it is a request of OAuth. What has no secret stays as it is, character by character. */
export function redactBody(body: string, type: string, { mayHaveCode }: { mayHaveCode: boolean }): string {
  if (/x-www-form-urlencoded/i.test(type)) return redactForm(body);
  try {
    const parsed: unknown = JSON.parse(body);
    const clean = JSON.stringify(redactValue(parsed, mayHaveCode));
    return JSON.stringify(parsed) === clean ? body : clean;
  } catch {
    const clean = body.replace(namedValue, (all, quote, name, between) =>
      isSecret(name) || (mayHaveCode && isCode(name)) ? `${quote}${name}${quote}${between}${redacted}` : all,
    );
    return withoutForms(clean);
  }
}

function redactForm(form: string): string {
  return form
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      const plain = decoded(name);
      if (isSecret(plain) || isCode(plain)) return value.length > 0 ? `${name}=${redacted}` : name;
      return decoded(pair) === withoutForms(decoded(pair)) ? pair : `${name}=${redacted}`;
    })
    .join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function redactValue(value: unknown, mayHaveCode: boolean): unknown {
  if (typeof value === 'string') return withoutForms(value);
  if (Array.isArray(value)) return value.map((each) => redactValue(each, mayHaveCode));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const isHidden = isSecret(name) || (mayHaveCode && isCode(name));
      return [withoutForms(name), isHidden && each !== null ? redacted : redactValue(each, mayHaveCode)];
    }),
  );
}

function isSecret(name: string): boolean {
  return secretNames.has(plainOf(name));
}

function isCode(name: string): boolean {
  return codeNames.has(plainOf(name));
}

function plainOf(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

function withoutForms(text: string): string {
  return text.replace(secretForms, redacted);
}
