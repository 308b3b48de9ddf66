import { clientCodeOf, clientOf, placeholders } from '../../domain/sandbox/client-code.ts';
import { highlighted } from '../browser/highlight.ts';
import type { Html } from '../browser/page.ts';

/** A call to start with: as the page makes it, and as code in each language. */
export type FirstCall = {
  title: string;
  about: string;
  method: 'GET' | 'POST';
  path: string;
  body?: Record<string, string>;
  code: { language: Language; text: string; html: Html }[];
};
export type Language = 'Node' | 'curl' | 'Python';
/** `answer` is the variable that the code in Node prints. */
type Call = Omit<FirstCall, 'code'> & { answer: string; isOfSandbox?: boolean };

const { apiKey, accessToken: token } = placeholders;
const phone = '+15005550006';
const text = 'Your annual review is due.';

export function firstCalls(publicUrl: string, textingNumber: string): FirstCall[] {
  const calls: Call[] = [
    {
      title: 'Send a text',
      about: 'To Pia, who has consented.',
      method: 'POST',
      path: '/v1/text/messaging/messages',
      body: { phone, text },
      answer: 'sent',
    },
    {
      title: 'See it on the phone, and reply',
      about: 'Any number is a phone here, on a page and by calls.',
      method: 'POST',
      path: `/sandbox/handset/${phone}/replies`,
      body: { to: textingNumber, text: 'Thanks!' },
      isOfSandbox: true,
      answer: 'answer.status',
    },
    {
      title: 'Read their consent',
      about: 'It decides what may be sent, and who may be asked.',
      method: 'GET',
      path: `/v1/text/messaging/consents?phone=${encodeURIComponent(phone)}`,
      answer: 'consent',
    },
  ];
  return calls.map(({ answer, isOfSandbox = false, ...call }) => ({
    ...call,
    code: [
      codeIn('Node', 'javascript', node(publicUrl, call, answer, isOfSandbox)),
      codeIn('curl', 'bash', curl(publicUrl, call, isOfSandbox)),
      codeIn('Python', 'python', python(publicUrl, call, isOfSandbox)),
    ],
  }));
}

function codeIn(language: Language, highlightedAs: string, text: string): FirstCall['code'][number] {
  return { language, text, html: highlighted(text, highlightedAs) };
}

type Request = Pick<FirstCall, 'method' | 'path' | 'body'>;

function headersOf({ body }: Request, isOfSandbox: boolean): [string, string][] {
  return [
    ...(isOfSandbox ? [] : [['authorization', `Bearer ${token}`] as [string, string]]),
    ['x-api-key', apiKey],
    ...(body ? [['content-type', 'application/json'] as [string, string]] : []),
  ];
}

function node(publicUrl: string, call: Request, answer: string, isOfSandbox: boolean): string {
  const [variable = answer] = answer.split('.');
  const code = `const ${variable} = ${clientCodeOf(call, publicUrl)};\nconsole.log(${answer});`;
  return isOfSandbox ? code : `${clientOf(publicUrl)}\n${code}`;
}

function curl(publicUrl: string, call: Request, isOfSandbox: boolean): string {
  const headers = headersOf(call, isOfSandbox).map(([name, value]) => `-H "${name}: ${value}"`);
  const data = call.body ? [`-d '${json(call.body)}'`] : [];
  return [`curl -s "${publicUrl}${call.path}"`, ...headers, ...data].join(' \\\n  ');
}

function python(publicUrl: string, call: Request, isOfSandbox: boolean): string {
  const headers = headersOf(call, isOfSandbox).map(([name, value]) => `        "${name}": "${value}",\n`);
  const data = call.body ? `    data=json.dumps(${json(call.body)}).encode(),\n` : '';
  return `${call.body ? 'import json\n' : ''}import urllib.request

request = urllib.request.Request(
    "${publicUrl}${call.path}",
${data}    headers={
${headers.join('')}    },
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())`;
}

/** On a line, as people write it. */
function json(body: Record<string, string>): string {
  return `{${Object.entries(body)
    .map(([name, value]) => `"${name}": "${value}"`)
    .join(', ')}}`;
}
