import { STATUS_CODES } from 'node:http';
import { type LoggedCall, type LoggedPart, perSecondMax } from '../../domain/sandbox/call-log.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';
import { callSandbox } from './running-sandbox.ts';

/** As it comes over HTTP. */
type ShownCall = Omit<LoggedCall, 'dateTime'> & { dateTime: string };

const shownMax = 50;

export const logVerbs: Verb[] = [
  {
    name: 'logs',
    about:
      'Show the latest calls to the running sandbox: the partner API, OAuth’s tokens and the sandbox’s own routes, without credentials.',
    options: {
      follow: { about: 'Show calls as they are answered, until Ctrl-C.' },
      trace: {
        value: 'ID',
        about: 'Show the whole request and response of the calls with this trace id, or its beginning.',
      },
    },
    examples: ['logs', 'logs --follow', 'logs --trace 4bf92f35'],
    offline: true,
    run: showLogs,
  },
];

async function showLogs(call: Call): Promise<void> {
  const { config, options, switches, until, out, json } = call;
  const query = options.trace ? `?traceId=${encodeURIComponent(options.trace)}` : '';
  if (switches.has('follow')) return followLogs(call, query);
  const { data, leftOut } = (await (await callSandbox(config, `/log/calls${query}`, { signal: until })).json()) as {
    data: ShownCall[];
    leftOut: number;
  };
  if (leftOut > 0)
    out.note(`${leftOut} calls are missing: of more than ${perSecondMax} a second only the first are kept.`);
  if (options.trace && data.length === 0)
    throw new UsageError(`None of the last calls has the trace id ${options.trace}.`);
  const calls = data.slice(0, shownMax).reverse();
  if (json) out.line(JSON.stringify(calls, null, 2));
  else for (const each of calls) out.line(options.trace ? whole(each) : line(each));
}

async function followLogs({ config, until, out, json, options }: Call, query: string): Promise<void> {
  const response = await callSandbox(config, `/log/stream${query}`, { signal: until });
  let rest = '';
  try {
    for await (const text of (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())) {
      const events = `${rest}${text}`.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        if (!event.startsWith('data: ')) continue;
        const each = JSON.parse(event.slice('data: '.length)) as ShownCall;
        out.line(json ? JSON.stringify(each) : options.trace ? whole(each) : line(each));
      }
    }
  } catch (error) {
    if (!until.aborted) throw error;
  }
}

function line({ dateTime, status, method, path, durationMs, traceId }: ShownCall): string {
  return `${dateTime.slice(11, 23)} ${status} ${method.padEnd(6)} ${path} ${Math.round(durationMs)} ms ${traceId}`;
}

function whole(call: ShownCall): string {
  const { method, path, status, request, response } = call;
  const parts = [part(`${method} ${path}`, request), part(`${status} ${STATUS_CODES[status] ?? ''}`, response)];
  return [line(call), ...parts, ''].join('\n\n');
}

function part(first: string, { headers, body }: LoggedPart): string {
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body ? `${head}\n\n${body}` : head;
}
