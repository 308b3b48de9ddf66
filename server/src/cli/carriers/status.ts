import { styleText } from 'node:util';
import { healthOf } from '../../domain/carriers/health.ts';
import { type CarrierOverview, readStatus } from '../../domain/carriers/status.ts';
import type { CarrierConnection, CarrierStatus } from '../../domain/ports.ts';
import { inOneLine } from '../terminal.ts';
import type { Call } from '../verb.ts';

export async function showStatus({ runtime, json, out }: Call): Promise<void> {
  const carriers = await readStatus(runtime);
  if (json) out.records(carriers);
  else out.line(carriers.map(blockOf).join('\n\n'));
}

function blockOf(carrier: CarrierOverview): string {
  const { name, kind, disabled, waiting, inDoubt, nodes } = carrier;
  const state = disabled ? styleText('yellow', 'disabled') : stateOf(carrier);
  const lines = [`${styleText('bold', name)} (${kind})  ${state}  waiting ${waiting}  in doubt ${inDoubt}`];
  for (const node of nodes) lines.push(...nodeLines(node));
  return lines.join('\n');
}

/** How it does on all nodes, in a few words. */
export function stateOf(carrier: CarrierOverview): string {
  const { state, bound, all, faults } = healthOf(carrier);
  if (state === 'disabled') return 'disabled';
  if (state === 'unknown') return styleText('dim', 'no node has it open');
  if (faults.length > 0) return styleText('red', 'can’t be opened');
  if (all === 0) return styleText('green', 'open');
  const word = `${bound} of ${all} connections bound`;
  return styleText(bound === all ? 'green' : bound > 0 ? 'yellow' : 'red', word);
}

function nodeLines({
  node,
  lastFault,
  inFlight,
  misroutedReplies,
  carrier,
  calls,
}: CarrierOverview['nodes'][number]): string[] {
  const what = calls ? 'takes calls only' : `in flight ${inFlight}`;
  const lines = [`  ${node}  ${what}${misroutedReplies > 0 ? `  replies to other numbers ${misroutedReplies}` : ''}`];
  if (lastFault) lines.push(`    ${styleText('red', inOneLine(lastFault))}`);
  if (!carrier) return calls ? [...lines, ...broughtLines(calls)] : lines;
  lines.push(...carrier.connections.map(connectionLine));
  const { accepted, refused, notTaken, inDoubt, throttled, perSecond } = carrier;
  const pace = perSecond === null ? '' : `  pace ${Math.round(perSecond)}/s`;
  lines.push(`    accepted ${accepted}  in doubt ${inDoubt}  throttled ${throttled}${pace}`);
  for (const [word, counts] of [
    ['refused', refused],
    ['not taken', notTaken],
  ] as const)
    if (Object.keys(counts).length > 0)
      lines.push(
        `    ${word}: ${Object.entries(counts)
          .map(([reason, count]) => `${inOneLine(reason)} ${count}`)
          .join(', ')}`,
      );
  return [...lines, ...broughtLines(carrier), ...lookupLines(carrier)];
}

function broughtLines({ receipts, replies }: Pick<CarrierStatus, 'receipts' | 'replies'>): string[] {
  const lag = receipts.lagMs === null ? '' : `, the last after ${(receipts.lagMs / 1000).toFixed(1)} s`;
  return [
    `    receipts: delivered ${receipts.delivered}, undelivered ${receipts.undelivered}, unmatched ${receipts.unmatched}${lag}`,
    `    replies: taken ${replies.taken}, failed ${replies.failed}, incomplete ${replies.incomplete}`,
  ];
}

function lookupLines({ lookups }: CarrierStatus): string[] {
  if (!lookups || lookups.answered + lookups.failed === 0) return [];
  const fault = lookups.lastFault ? `, the last: ${inOneLine(lookups.lastFault)}` : '';
  return [`    numbers looked up: answered ${lookups.answered}, failed ${lookups.failed}${fault}`];
}

function connectionLine({ name, host, state, inFlight, window, lastFault }: CarrierConnection): string {
  const fault = state !== 'bound' && lastFault ? `  ${inOneLine(lastFault)}` : '';
  return `    ${name} ${host}  ${state}  ${inFlight}/${window}${fault}`;
}
