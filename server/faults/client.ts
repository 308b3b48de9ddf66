import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxAdvisor, SandboxFile } from '../src/domain/sandbox/sandbox.ts';
import { type Ledger, noteAnswer, noteTime } from './ledger.ts';

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
  get(advisor: SandboxAdvisor, path: string): Promise<Answer>;
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

/** Replies once, and says when it was acknowledged. Without it, replies go through the sandbox's phones. */
export type Reply = (phone: string, to: string, text: string) => Promise<number | null>;

export function makeClient(origin: string, sandbox: SandboxFile, ledger: Ledger, replyOnce?: Reply): Client {
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

  async function get(advisor: SandboxAdvisor, path: string): Promise<Answer> {
    const answer = await ask(`/v1${path}`, null, { authorization: `Bearer ${tokens.get(advisor.id)}` });
    if (typeof answer !== 'string' && answer.status !== 200) surprise(path, answer);
    return answer;
  }

  async function ask(path: string, body: object | null, headers: Record<string, string>): Promise<Answer> {
    const { fault } = ledger;
    const began = performance.now();
    try {
      const response = await fetch(`${origin}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { ...headers, 'x-api-key': sandbox.apiKey, ...(body && { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(answerMs),
      });
      if (!/json/.test(response.headers.get('content-type') ?? '')) {
        // The load balancer answers for a node that died, or that it can't reach.
        await response.body?.cancel();
        noteAnswer(ledger, fault, `${response.status} of the balancer`);
        await pause(retryMs);
        return 'unknown';
      }
      const answer = { status: response.status, body: (await response.json()) as Body };
      noteAnswer(ledger, fault, answer.status);
      noteTime(ledger, fault, performance.now() - began);
      return answer;
    } catch (error) {
      if (isRefused(error)) {
        await pause(retryMs);
        return 'nothing';
      }
      noteAnswer(ledger, fault, `none (${reasonOf(error)})`);
      return 'unknown';
    }
  }

  async function reply(phone: string, to: string, text: string): Promise<Date | null> {
    for (; !givenUp; await pause(retryMs)) {
      if (replyOnce) {
        const answeredAt = await replyOnce(phone, to, text);
        if (answeredAt !== null) return new Date(answeredAt);
        continue;
      }
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
    get,
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

/** Why a request got no answer: the code of the broken connection, or the name of the error. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? name;
}

/** The server wasn't listening, so the request was never sent. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === 'ECONNREFUSED';
}
