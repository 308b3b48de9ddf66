import { readFileSync } from 'node:fs';
import {
  addCarrier,
  type CarrierView,
  listCarriers,
  removeCarrier,
  setCarrier,
} from '../../domain/carriers/carriers.ts';
import { type CarrierSettings, carrierKindNames } from '../../domain/ports.ts';
import { requireFile } from '../files.ts';
import { always, type Call, isYes, type Option, requireChange, UsageError, type Verb, yesOrNo } from '../verb.ts';
import { showStatus } from './status.ts';

const settingsOption: Option = {
  value: 'FILE|-',
  about: 'A JSON object with its settings; - reads it from stdin. The page on carriers explains each one.',
};

export const carrierVerbs: Verb[] = [
  {
    name: 'carriers add',
    about: 'Add a carrier to send texts through. Nodes open it within seconds.',
    operands: ['NAME'],
    options: {
      kind: { value: carrierKindNames.join('|'), about: 'How it is reached.', required: true },
      settings: { ...settingsOption, required: true },
    },
    examples: ['carriers add acme --kind smpp --settings acme.json'],
    run: async (call) => {
      const { NAME: name = '' } = call.operands;
      const { kind = '' } = call.options;
      const carrier = await addCarrier(call.runtime, { name, kind, settings: await settingsIn(call) });
      show(call, [carrier]);
    },
  },
  {
    name: 'carriers list',
    about: 'List the carriers with their settings, secrets hidden.',
    run: async (call) => show(call, await listCarriers(call.runtime)),
  },
  {
    name: 'carriers set',
    about: 'Change a carrier’s settings. Nodes open it again within seconds; texts in flight finish first.',
    operands: ['NAME'],
    options: {
      settings: {
        ...settingsOption,
        about:
          'A JSON object with the settings to change; null removes one, and (hidden) keeps a secret. - reads it from stdin.',
      },
      disabled: { oneOf: yesOrNo, about: 'Disable the carrier. Its texts stay queued.' },
    },
    examples: ['carriers set acme --disabled yes'],
    run: async (call) => {
      const { settings, disabled } = call.options;
      requireChange({ settings, disabled });
      const change = {
        settings: settings === undefined ? undefined : await settingsIn(call),
        disabled: isYes(disabled),
      };
      show(call, [await setCarrier(call.runtime, call.operands.NAME ?? '', change)]);
    },
  },
  {
    name: 'carriers remove',
    about: 'Remove a carrier that no number uses.',
    operands: ['NAME'],
    examples: ['carriers remove acme --yes'],
    isFinal: always,
    run: ({ runtime, operands }) => removeCarrier(runtime, operands.NAME ?? ''),
    says: 'Removed.',
  },
  {
    name: 'carriers status',
    about: 'Show each carrier’s status on every node: connections, texts in flight, responses, receipts.',
    run: showStatus,
  },
];

async function settingsIn({ options: { settings = '' }, streams }: Call): Promise<CarrierSettings> {
  let text = '';
  if (settings === '-') for await (const chunk of streams.stdin) text += chunk;
  else {
    requireFile(settings);
    text = readFileSync(settings, 'utf8');
  }
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UsageError('The settings must be a JSON object, such as {"systemId": "…"}.');
  return parsed as CarrierSettings;
}

/** JSON.parse repeats part of the text in its message, which may be a secret. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('The settings are not valid JSON.');
  }
}

function show({ out, json }: Call, carriers: CarrierView[]): void {
  out.records(
    carriers.map(({ settings, ...rest }) => ({ ...rest, settings: json ? settings : JSON.stringify(settings) })),
  );
}
