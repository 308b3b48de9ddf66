import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxAdvisor, SandboxFile } from '../src/sandbox/sandbox.ts';
import type { Ledger } from './ledger.ts';

/**
 * The outcome of a request: a final answer; or `nothing`, if it certainly had no effect; or `unknown`, if the server died
 * or said that it can't tell, and only a retry with the same Idempotency-Key settles it.
 */
export type Answer = { status: number; body: Body } | 'nothing' | 'unknown';
export type Body = {
  successes?: { messageId: number | null; memberId: number; scheduledMessageId?: number }[];
  failureDetails?: { code: string }[];
  details?: { outcome?: string } | { rule: string }[];
};

/** Requests to a server that may die at any moment. */
export type Client = {
  /** Posts once on an advisor's behalf. */
  post(advisor: SandboxAdvisor, path: string, body: object, key?: string): Promise<Answer>;
  /** Replies from a phone until the reply has taken effect; null if the client gave up before. */
  reply(phone: string, to: string, text: string): Promise<Date | null>;
  /** Gets new tokens while the server is up. */
  authorize(): Promise<void>;
  /** Stops all retries. */
  giveUp(): void;
  hasGivenUp(): boolean;
};

const answerMs = 20_000;
const retryMs = 50;
/** By the contract nothing was accepted. */
const nothingDone = [429, 502, 504];

export function makeClient(origin: string, sandbox: SandboxFile, ledger: Ledger): Client {
  const tokens = new Map<number, string>();
  let givenUp = false;

  async function post(advisor: SandboxAdvisor, path: string, body: object, key?: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${tokens.get(advisor.id)}`, ...(key ? { 'idempotency-key': key } : {}) };
    const answer = await ask(`/v1${path}`, body, headers);
    if (typeof answer === 'string' || answer.status === 200 || isTooLate(answer.body)) return answer;
    const { details } = answer.body;
    if (details && 'outcome' in details && details.outcome === 'unknown') return 'unknown';
    if (!nothingDone.includes(answer.status)) surprise(path, answer);
    return 'nothing';
  }

  async function ask(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
    try {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { ...headers, 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerMs),
      });
      const answer = { status: response.status, body: (await response.json()) as Body };
      ledger.requests += 1;
      return answer;
    } catch (error) {
      if (isRefused(error)) {
        await pause(retryMs);
        return 'nothing';
      }
      ledger.requests += 1;
      ledger.unansweredRequests += 1;
      return 'unknown';
    }
  }

  async function reply(phone: string, to: string, text: string): Promise<Date | null> {
    for (; !givenUp; await pause(retryMs)) {
      const answer = await ask(`/sandbox/handset/${phone}/replies`, { to, text }, {});
      if (typeof answer === 'string' || nothingDone.includes(answer.status)) continue;
      if (answer.status === 202) return new Date();
      surprise('a reply', answer);
      return null;
    }
    return null;
  }

  function surprise(path: string, answer: object): void {
    ledger.surprises.push(`${path} was answered ${JSON.stringify(answer)}`);
  }

  async function authorize(): Promise<void> {
    const { tokenUrl, clientId, clientSecret, advisors } = sandbox;
    for (const { id } of advisors) {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const whose = { advisor_id: String(id), scope: 'text.messaging.read text.messaging.write' };
      const response = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams({ ...form, ...whose }) });
      const answer = (await response.json()) as { access_token?: string };
      if (!answer.access_token) throw new Error(`There is no token: ${JSON.stringify(answer)}`);
      tokens.set(id, answer.access_token);
    }
  }

  return {
    post,
    reply,
    authorize,
    giveUp: () => {
      givenUp = true;
    },
    hasGivenUp: () => givenUp,
  };
}

/** A delivery date that was in the future at the first try, before the server was killed. */
function isTooLate({ details }: Body): boolean {
  return Array.isArray(details) && details[0]?.rule === 'future';
}

/** The server wasn't listening, so the request was never sent. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === 'ECONNREFUSED';
}
