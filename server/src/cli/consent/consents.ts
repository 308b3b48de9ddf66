import { getAdvisor, listAdvisorsKnowing } from '../../domain/accounts/advisors.ts';
import { getStaff } from '../../domain/accounts/staff.ts';
import { type ConsentEvent, type ConsentHistory, readConsentHistory } from '../../domain/consent/consent-lookups.ts';
import { type RecordedConsent, recordConsent, recordOptOut } from '../../domain/consent/consents.ts';
import { problem } from '../../domain/problems.ts';
import { inOneLine } from '../terminal.ts';
import { always, type Call, type Verb } from '../verb.ts';

export const consentVerbs: Verb[] = [
  {
    name: 'consents record',
    about: 'Record consent that a person gave on paper. It doesn’t undo an opt-out: only the person can.',
    operands: ['PHONE'],
    options: {
      advisor: { value: 'EMAIL|ID', about: 'The advisor whose texts the person agreed to.', required: true },
      proof: { value: 'TEXT', about: 'What was signed, when, and where it is kept.', required: true },
      by: { value: 'EMAIL|ID', about: 'Staff member recording the consent.', required: true },
    },
    examples: [
      "consents record +12125550123 --advisor avery@sandbox.example --proof 'Form 7, signed 2026-03-02' --by dana@example.com",
    ],
    run: async (call) => call.out.records([await recordConsent(call.runtime, await recordedIn(call))]),
  },
  {
    name: 'consents opt-out',
    about:
      'Record an opt-out that a person gave in another way than by text. It counts as a STOP, and nothing is sent.',
    operands: ['PHONE'],
    options: {
      advisor: { value: 'EMAIL|ID', about: 'The advisor whose texts the person opted out of.', required: true },
      proof: { value: 'TEXT', about: 'What the person said, when and how.', required: true },
      by: { value: 'EMAIL|ID', about: 'Staff member recording the opt-out.', required: true },
    },
    examples: [
      "consents opt-out +12125550123 --advisor avery@sandbox.example --proof 'By phone, 2026-03-02' --by dana@example.com --yes",
    ],
    isFinal: always,
    run: async (call) => call.out.records([await recordOptOut(call.runtime, await recordedIn(call))]),
  },
  {
    name: 'consents show',
    about: 'Show everything that happened to a number’s consent, with the evidence. That you read it is archived.',
    operands: ['PHONE'],
    options: {
      advisor: { value: 'EMAIL|ID', about: 'Only this advisor; by default, every advisor who knows the number.' },
    },
    run: show,
  },
];

async function recordedIn({ runtime, operands, options }: Call): Promise<RecordedConsent> {
  const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
  const staff = await getStaff(runtime, options.by ?? '');
  return { advisorId, phone: operands.PHONE ?? '', proof: options.proof ?? '', staff };
}

type History = ConsentHistory & { advisorId: number; advisor: string; phone: string };

async function show({ runtime, operands, options, json, out }: Call): Promise<void> {
  const phone = operands.PHONE ?? '';
  const advisors = options.advisor
    ? [await getAdvisor(runtime, options.advisor)]
    : await listAdvisorsKnowing(runtime, phone);
  const shown: History[] = [];
  for (const { advisorId, name: advisor } of advisors) {
    const history = await readConsentHistory(runtime, advisorId, phone);
    if (history) shown.push({ advisorId, advisor, phone, ...history });
  }
  if (shown.length === 0) throw problem('not_found', `No advisor knows the number ${phone}.`);
  if (json) out.records(shown);
  else out.line(shown.map(historyText).join('\n\n'));
}

/** A heading, then a line for each event with its evidence below it. */
function historyText({ phone, advisor, memberId, state, lastChanged, consentRequests, events }: History): string {
  const asked = consentRequests === 1 ? 'asked once' : `asked ${consentRequests} times`;
  const heading = `${phone}, member ${memberId} of ${advisor}: ${state} since ${lastChanged.toISOString()}, ${asked}`;
  return [heading, ...events.flatMap(eventLines)].join('\n');
}

function eventLines({ number, dateTime, from, to, reason, channel, actor, evidence }: ConsentEvent): string[] {
  const { wording, reply, proof, stop } = evidence ?? {};
  const whose = stop?.advisorId ? `advisor ${stop.advisorId} of the same firm` : 'another firm';
  return [
    `  ${dateTime.toISOString()}  ${from} → ${to}  ${reason} by ${actor}, ${channel}, archive entry ${number}`,
    ...(stop ? [`    stop to ${whose}: ${stop.reason}`] : []),
    ...(wording ? [`    shown ${wording.shown} (version ${wording.version}): ${inOneLine(wording.text)}`] : []),
    ...(reply ? [`    wrote ${reply.sent} (archive entry ${reply.archiveNumber}): ${inOneLine(reply.text)}`] : []),
    ...(proof ? [`    proof: ${inOneLine(proof)}`] : []),
    ...(evidence ? [] : ['    The evidence was disposed of after its retention.']),
  ];
}
