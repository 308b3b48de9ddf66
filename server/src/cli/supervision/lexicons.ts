import { readFileSync, statSync } from 'node:fs';
import { getLexicon, setLexicon, testLexicon } from '../../domain/supervision/lexicons.ts';
import { requireFile } from '../files.ts';
import { inOneLine, safeJson } from '../terminal.ts';
import { type Call, firmIn, UsageError, type Verb } from '../verb.ts';

const bytesMax = 1_048_576;
const outcomes = { flag: 'go out and be flagged', hold: 'be held for review', block: 'be blocked' };

export const lexiconVerbs: Verb[] = [
  {
    name: 'lexicons show',
    about: 'Show what a firm’s supervision looks for, as JSON to edit and set; version 0 is our default.',
    operands: ['FIRM'],
    run: show,
  },
  {
    name: 'lexicons set',
    about: 'Set what a firm’s supervision looks for: a JSON file with the whole lexicon, as a new version.',
    operands: ['FIRM', 'FILE'],
    examples: ['lexicons set 1 lexicon.json'],
    run: async ({ runtime, operands, out }) => {
      const { version, rules } = await setLexicon(runtime, firmIn(operands), contentOf(operands.FILE ?? ''));
      out.records([{ version, rules: rules.length }]);
    },
  },
  {
    name: 'lexicons test',
    about: 'Show what would happen to a text now, and why.',
    operands: ['FIRM', 'TEXT'],
    examples: ["lexicons test 1 'This fund can only go up.'"],
    run: test,
  },
];

async function show({ runtime, operands, json, out }: Call): Promise<void> {
  const lexicon = await getLexicon(runtime, firmIn(operands));
  if (json) return out.records([lexicon]);
  out.note(`Version ${lexicon.version}.`);
  out.line(safeJson({ rules: lexicon.rules }, 2));
}

async function test({ runtime, operands, json, out }: Call): Promise<void> {
  const { finding, findings } = await testLexicon(runtime, firmIn(operands), operands.TEXT ?? '');
  if (json) return out.records([{ action: finding?.action ?? null, findings }]);
  out.line(`The text would ${finding ? outcomes[finding.action] : 'go out'}.`);
  if (findings.length > 0) out.records(findings.map((each) => ({ ...each, found: inOneLine(each.found) })));
}

function contentOf(path: string): string {
  requireFile(path);
  if (statSync(path).size > bytesMax) throw new UsageError(`${path} is larger than ${bytesMax} bytes.`);
  return readFileSync(path, 'utf8');
}
