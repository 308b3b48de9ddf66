import type { Config } from '../../config.ts';
import { healthOf } from '../carriers/health.ts';
import type { TextingNumber } from '../carriers/numbers.ts';
import type { CarrierOverview } from '../carriers/status.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';
import type { Node } from './nodes.ts';
import type { Overview } from './overview.ts';

const waitWarnSeconds = 10;
const waitFailSeconds = 60;

/** Whether texts go out: processes, carriers, numbers, the outbox, webhooks. */
export function checkTexting(overview: Overview, numbers: TextingNumber[], config: Config): CheckFinding[] {
  const { nodes, missed, carriers, texts, webhooks } = overview;
  const isRunning = nodes.some(works);
  return [
    ...nodesFindings(nodes, config),
    ...missedFindings(missed),
    ...carrierFindings(carriers, isRunning),
    numbersFinding(numbers),
    outboxFinding(texts),
    doubtsFinding(texts),
    webhooksFinding(webhooks),
  ];
}

function works({ role }: Node): boolean {
  return role !== 'api';
}

function nodesFindings(nodes: Node[], { redisUrl }: Config): CheckFinding[] {
  if (nodes.length === 0) return [warning('processes', 'none is running', 'Start one: npm start, or assent serve.')];
  const [working, answering] = [nodes.filter(works), nodes.filter(({ role }) => role !== 'work')];
  const findings = nodes.flatMap(({ node, halted }) =>
    halted ? failing('processes', `${node} isn’t sending texts: ${halted}`, 'See its log.') : [],
  );
  if (working.length === 0) findings.push(failing('processes', 'none sends texts', 'Start one with ROLE work or all.'));
  if (answering.length === 0)
    findings.push(failing('processes', 'none serves requests', 'Start one with ROLE api or all.'));
  if (answering.length > 1 && !redisUrl)
    findings.push(
      warning(
        'processes',
        `${answering.length} serve requests, and rate limits apply per process`,
        'Give all of them the same REDIS_URL.',
      ),
    );
  if (findings.length > 0) return findings;
  return [ok('processes', `${answering.length} serving requests, ${working.length} sending texts`)];
}

/** One that restarts again and again leaves many. */
function missedFindings(missed: Node[]): CheckFinding[] {
  const [last, ...earlier] = missed.toSorted((one, other) => other.seenAt.getTime() - one.seenAt.getTime());
  if (!last) return [];
  const since = `${last.node} has been gone since ${last.seenAt.toISOString().slice(11, 19)} UTC`;
  const others = earlier.length === 0 ? '' : `, and ${earlier.length} more within the hour`;
  return [warning('processes', `${since}${others}, without having stopped`, 'See its log.')];
}

function carrierFindings(carriers: CarrierOverview[], isRunning: boolean): CheckFinding[] {
  const used = carriers.filter(({ disabled }) => !disabled);
  if (used.length === 0) return [warning('carriers', 'none is configured', 'Add one: assent carriers add.')];
  // Without a process nobody has opened them.
  return isRunning ? used.map(carrierFinding) : [];
}

function carrierFinding(carrier: CarrierOverview): CheckFinding {
  const check = `carrier ${carrier.name}`;
  const next = 'assent carriers status shows more; docs/operators/carriers.md#what-an-error-means has the errors.';
  const { state, bound, all, faults } = healthOf(carrier);
  if (faults.length > 0) return failing(check, `it can’t be opened: ${faults[0]}`, next);
  if (state === 'unknown') return failing(check, 'no process has it open', next);
  const says = all === 0 ? 'it is open' : `${bound} of ${all} connections are bound`;
  if (state === 'down') return failing(check, says, next);
  return state === 'partly' ? warning(check, says, next) : ok(check, says);
}

function numbersFinding(numbers: TextingNumber[]): CheckFinding {
  const without = numbers.filter(({ carrier }) => carrier === null);
  if (without.length > 0)
    return failing(
      'numbers',
      `${without.length} have no carrier: ${few(without)}`,
      'assent numbers set … --carrier NAME.',
    );
  const unregistered = numbers.filter(({ number, carrier, campaign }) => isAmerican(number, carrier) && !campaign);
  if (unregistered.length === 0) return ok('numbers', `${numbers.length} with a carrier`);
  return warning(
    'numbers',
    `${unregistered.length} of ${numbers.length} have no campaign recorded: ${few(unregistered)}`,
    'US carriers filter texts from numbers without one: assent numbers set … --campaign ID.',
  );
}

/** Campaigns are of North America; the sandbox has none. */
function isAmerican(number: string, carrier: string | null): boolean {
  return number.startsWith('+1') && carrier !== 'sandbox';
}

function few(numbers: TextingNumber[]): string {
  const shown = numbers.slice(0, 3).map(({ number }) => number);
  return numbers.length > shown.length
    ? `${shown.join(', ')} and ${numbers.length - shown.length} more`
    : shown.join(', ');
}

function outboxFinding({ ready, oldestWaitSeconds }: Overview['texts']): CheckFinding {
  const says = `${ready} texts are queued, the oldest for ${Math.round(oldestWaitSeconds)} s`;
  const next = 'docs/operators/monitoring.md#texts-wait-too-long has the causes.';
  if (oldestWaitSeconds >= waitFailSeconds) return failing('outbox', says, next);
  return oldestWaitSeconds >= waitWarnSeconds ? warning('outbox', says, next) : ok('outbox', `${ready} texts queued`);
}

function doubtsFinding({ inDoubt }: Overview['texts']): CheckFinding {
  if (inDoubt === 0) return ok('in doubt', 'no text');
  const next = 'They are never resent automatically: docs/operators/monitoring.md#texts-in-doubt.';
  const those = inDoubt === 1 ? '1 text' : `${inDoubt} texts`;
  return warning('in doubt', `${those} may or may not have been sent`, next);
}

function webhooksFinding({ on, failing: failed, off }: Overview['webhooks']): CheckFinding {
  if (failed + off === 0) return ok('webhooks', `${on} on`);
  const says = `${off} off, ${failed} failing, ${on} on`;
  return warning('webhooks', says, 'See assent webhooks list; turn one on with assent webhooks enable.');
}
