import { styleText } from 'node:util';
import { type Overview, readOverview } from '../../domain/operations/overview.ts';
import { stateOf } from '../carriers/status.ts';
import { inOneLine } from '../terminal.ts';
import type { Call } from '../verb.ts';

export async function showOverview({ runtime, config, json, out }: Call): Promise<void> {
  const overview = await readOverview(runtime);
  if (json) out.records([overview]);
  else out.line(linesOf(overview, config));
}

const late = 10;

function linesOf({ nodes, texts, carriers, webhooks, archive }: Overview, config: Call['config']): string {
  // Every database has the sandbox's carrier; production never opens it.
  const used = carriers.filter(({ kind }) => kind !== 'sandbox' || config.environment === 'sandbox');
  const wait = `${Math.round(texts.oldestWaitSeconds)} s`;
  return [
    `${styleText('bold', config.publicUrl)}  ${new Date().toISOString().slice(0, 19)}Z`,
    '',
    ...(nodes.length === 0 ? [row('processes', styleText('red', 'none is running'))] : nodes.map(nodeRow)),
    '',
    row('waiting', `${texts.ready} ready, ${texts.paced} paced, ${texts.deferred} deferred by quiet hours`),
    row('oldest', texts.oldestWaitSeconds > late ? styleText('red', wait) : wait),
    row('in flight', `${texts.inFlight}`),
    row('sent', `${texts.sentLastMinute} in the last minute, ${texts.sentLastHour} in the last hour`),
    row(
      'last hour',
      `${texts.deliveredLastHour} delivered, ${texts.failedLastHour} failed, ${texts.repliesLastHour} replies`,
    ),
    row('in doubt', texts.inDoubt > 0 ? styleText('yellow', `${texts.inDoubt}`) : '0'),
    row(
      'held',
      `${texts.held} for a decision, ${texts.awaitingConsent} for consent; ${texts.reviewsOpen} reviews open`,
    ),
    row('media', `${texts.mediaWaiting} to fetch`),
    row(
      'schedules',
      `${texts.schedulesDue} due${texts.nextSchedule ? `, the next at ${texts.nextSchedule.toISOString()}` : ''}`,
    ),
    row('webhooks', webhooksOf(webhooks, texts)),
    row('archive', archiveOf(archive)),
    ...used.map((carrier) =>
      row(carrier.name, `${stateOf(carrier)}, ${carrier.waiting} waiting, ${carrier.inDoubt} in doubt`),
    ),
  ].join('\n');
}

function row(name: string, value: string): string {
  return `${name.padEnd(10)}  ${value}`;
}

function nodeRow({ node, role, startedAt, halted }: Overview['nodes'][number]): string {
  const since = `since ${startedAt.toISOString().slice(0, 19)}Z`;
  return row(role, `${inOneLine(node)}  ${halted ? styleText('red', `halted: ${inOneLine(halted)}`) : since}`);
}

function webhooksOf({ on, failing, off }: Overview['webhooks'], texts: Overview['texts']): string {
  const behind = texts.streamsBehind > 0 ? `; ${texts.streamsBehind} streams behind` : '';
  const trouble = failing + off > 0 ? styleText('yellow', `${failing} failing, ${off} off`) : '0 failing, 0 off';
  return `${on} on, ${trouble}${behind}`;
}

function archiveOf({ entries, signed, keptOutside, fault, copiesFault, memoryFault }: Overview['archive']): string {
  const trouble = fault ?? copiesFault ?? memoryFault;
  const line = `${entries} entries, ${signed} signed, ${keptOutside ?? 'none'} outside`;
  return trouble ? `${line}  ${styleText('red', inOneLine(trouble))}` : line;
}
