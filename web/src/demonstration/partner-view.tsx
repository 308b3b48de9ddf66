import { useEffect, useState } from 'react';
import { clientCodeOf, clientOf, placeholders } from '../../../server/src/domain/sandbox/client-code.ts';
import { curlOf } from '../../../server/src/domain/sandbox/curl.ts';
import { now } from '../api/clock.ts';
import { useAdvisor } from '../api/session.ts';
import { type SeenCall, type SeenEvent, witness } from '../api/witnesses.ts';
import { Button } from '../look/button.tsx';
import { Tabs } from '../look/fields.tsx';
import { secondsTime } from '../words/times.ts';
import { getCredentials } from './sandbox.ts';

export type Line = { id: number; at: number } & ({ call: SeenCall } | { event: SeenEvent });
type Language = 'SDK' | 'curl';

const linesMax = 100;
const copiedMs = 2_000;
/** Reading and checking change nothing, so they aren't what a program would call. */
const isDeed = ({ method, path }: SeenCall) => method !== 'GET' && !/\/(check|search)$/.test(path);

/** Each call that would do what was just done here, and what a program is told. */
export function PartnerView({ lines }: { lines: Line[] }) {
  const [chosen, choose] = useState<number | null>(null);
  const [language, speak] = useState<Language>('SDK');
  const calls = lines.filter((line) => 'call' in line);
  // The sandbox's own are no calls of a partner's program: they are shown when somebody chooses them.
  const latest = calls.find(({ call }) => call.path.startsWith('/v1/'));
  const shown = calls.find(({ id }) => id === chosen) ?? latest;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next one is shown, whatever was chosen before
  useEffect(() => choose(null), [latest?.id]);
  return (
    <section className="partner-view" aria-labelledby="partner">
      <div className="row">
        <h2 className="eyebrow" id="partner">
          What a partner’s program would call
        </h2>
        <span className="end" />
        <Tabs
          label="Language"
          options={[
            ['SDK', 'SDK'],
            ['curl', 'curl'],
          ]}
          chosen={language}
          choose={speak}
        />
        <CopyButton call={shown?.call ?? null} language={language} />
      </div>
      <div className="code-panes">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
        <section className="coded" aria-label="The call as code" tabIndex={0}>
          {shown ? (
            <pre>
              <span className="remark">
                {language === 'SDK' ? '// ' : '# '}
                {aboutOf(shown.call)}
                {'\n'}
              </span>
              <Colored code={codeOf(shown.call, language)} />
            </pre>
          ) : (
            <pre>
              <span className="remark">{'// Do something above: the call that would do the same appears here.'}</span>
            </pre>
          )}
        </section>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
        <section className="coded" aria-label="Calls and events, newest first" tabIndex={0}>
          <ul>
            {lines.map((line) => (
              <li key={line.id}>
                {'call' in line ? (
                  <button
                    type="button"
                    aria-pressed={line.id === shown?.id}
                    onClick={() => choose(line.id)}
                    title="Show this call as code"
                  >
                    <Moment at={line.at} />
                    <span>
                      {line.call.method} {pathOf(line.call)}
                    </span>
                    <span className={line.call.status < 300 ? 'good' : 'bad'}>{line.call.status}</span>
                    <span className="remark">
                      {Math.round(line.call.tookMs)} ms {outcomeOf(line.call)}
                    </span>
                  </button>
                ) : (
                  <div>
                    <Moment at={line.at} />
                    <span className="word">{line.event.type}</span>
                    <span>{factsOf(line.event)}</span>
                  </div>
                )}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </section>
  );
}

/** Everything since the page was opened. */
export function useLines(): Line[] {
  const [lines, setLines] = useState<Line[]>([]);
  useEffect(() => {
    let last = 0;
    return witness((seen) => {
      if ('call' in seen && !isDeed(seen.call)) return;
      last += 1;
      const line = { id: last, at: now(), ...seen };
      setLines((before) => [line, ...before].slice(0, linesMax));
    });
  }, []);
  return lines;
}

function Moment({ at }: { at: number }) {
  const { timeZone } = useAdvisor();
  return <span className="remark number">{secondsTime(at, timeZone)}</span>;
}

function CopyButton({ call, language }: { call: SeenCall | null; language: Language }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (call: SeenCall) => {
    // The clipboard gets the promise: a browser allows no copy some time after the click.
    const text = runnable(call, language).then((code) => new Blob([code], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <Button
      icon={isCopied ? 'check' : 'copy'}
      kind="small"
      disabled={!call}
      title="With the sandbox’s API key and a token of fifteen minutes"
      onClick={() => call && void copy(call)}
    >
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

function codeOf(call: SeenCall, language: Language): string {
  const { origin } = location;
  if (language === 'SDK') return `${clientCodeOf(call, origin)};`;
  const isOfSandbox = call.path.startsWith('/sandbox');
  const headers: [string, string][] = [
    ...(isOfSandbox ? [] : [['authorization', ''] as [string, string]]),
    ['x-api-key', ''],
    ...(call.body ? [['content-type', 'application/json'] as [string, string]] : []),
  ];
  const body = call.body ? JSON.stringify(call.body) : '';
  return curlOf({ ...call, request: { headers, body } }, origin);
}

/** As it can be pasted into a file or a shell: with the credentials in it. */
async function runnable(call: SeenCall, language: Language): Promise<string> {
  const { apiKey, accessToken } = await getCredentials();
  const code = codeOf(call, language);
  if (language === 'curl') return code.replaceAll('$TOKEN', accessToken).replaceAll('$KEY', apiKey);
  const begin = call.path.startsWith('/v1') ? `${clientOf(location.origin)}\n` : '';
  return `${begin}${code}\n`.replaceAll(placeholders.apiKey, apiKey).replaceAll(placeholders.accessToken, accessToken);
}

/** What the call does, in a sentence. */
function aboutOf({ method, path, body }: SeenCall): string {
  const { whenConsented, scheduleDelivery } = (body ?? {}) as { whenConsented?: boolean; scheduleDelivery?: boolean };
  if (path.endsWith('/messages') && whenConsented)
    return 'One call: asks first, waits, and sends by itself after the yes.';
  if (path.endsWith('/messages') && scheduleDelivery) return 'Goes out at that moment; consent is checked again then.';
  if (path.endsWith('/messages')) return 'Sends a text, if the person may be texted.';
  if (path.endsWith('/consent-requests')) return 'Asks for consent by text.';
  if (path.endsWith('/replies')) return 'In the sandbox, a program can answer for a phone.';
  if (path.endsWith('/clock')) return 'In the sandbox, a program can move the clock.';
  if (path.endsWith('/contacts') && method === 'POST') return 'Adds a person to the address book.';
  return 'What was just done here, as a call.';
}

function pathOf({ path }: SeenCall): string {
  return path.replace('/v1/text/messaging', '…').replace('/v1/core/contact', '…');
}

/** What became of the recipient, in the API's own words. */
function outcomeOf({ answer }: SeenCall): string {
  type Result = { successes?: { status?: string }[]; failureDetails?: { code: string }[]; code?: string };
  const { successes, failureDetails, code } = (answer ?? {}) as Result;
  return successes?.[0]?.status ?? failureDetails?.[0]?.code ?? code ?? '';
}

function factsOf({ data }: SeenEvent): string {
  const { previousState, state, status, reason, phone } = data;
  if (state) return `${previousState} → ${state}`;
  return String(status ?? reason ?? phone ?? '');
}

const tokens = /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|\b(await|true|false|null|const|import|from|new)\b/g;

/** Strings and words of the language, as everywhere we show code. */
function Colored({ code }: { code: string }) {
  const pieces: { at: number; text: string; kind?: 'string' | 'word' }[] = [];
  let end = 0;
  for (const found of code.matchAll(tokens)) {
    pieces.push({ at: end, text: code.slice(end, found.index) });
    pieces.push({ at: found.index, text: found[0], kind: found[1] ? 'string' : 'word' });
    end = found.index + found[0].length;
  }
  pieces.push({ at: end, text: code.slice(end) });
  return pieces.map(({ at, text, kind }) =>
    kind ? (
      <span className={kind} key={`${kind}${at}`}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}
