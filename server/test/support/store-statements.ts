import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A function of the store that runs a statement about advisor-owned tables. */
export type StoreFunction = {
  /** Like `texting/texts.ts: insertTexts`. */
  name: string;
  /** The advisor-owned tables that its statements name. */
  tables: string[];
  /** Its statements bind one advisor, and every table in them has its `advisor_id`. */
  namesAdvisor: boolean;
  /** Why they span advisors, as its comment says; null if it doesn't. */
  spans: string | null;
};

type Declaration = { file: string; name: string; comment: string; text: string };

const folder = new URL('../../src/store/', import.meta.url).pathname;
const beginning = /^(?:export )?(?:async )?(?:function\*? |const (?:\[|\{)?|type )\s*([A-Za-z0-9_]+)/;
const runs = /\b(?:query|find|one|value|has|write|lookUp|lookUpOne|isDue|copy|fetched)(?:<[^(]*>)?\(|\bdeleteBatch\(/;

/** How statements name one advisor. */
const bindings = [
  /(?<!\bor (?:\w+\.)?)\badvisor_id = (?:\$\d|0\b|\$\{asked\.advisorId\})/,
  /insert into [a-z_]+(?: as [a-z]+)? \(\s*advisor_id\b[^)]*\)\s*(?:values \(|select(?: distinct on \([^)]*\))?)\s*(?:\$1|0)\b/,
  /copy [a-z_]+ \(\s*advisor_id\b/,
  // A batch is a statement for each part where that matters, and a lookup has the advisor in its key.
  /\b(?:forAdvisors|lookUpOne)\b/,
];

/** Every function of the store whose statements are about these tables. What is under database/ is plumbing. */
export function listStoreFunctions(advisorOwned: readonly string[]): StoreFunction[] {
  const declarations = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('database'))
    .sort()
    .flatMap((file) => declarationsIn(join(folder, file)));
  const named = new Map(declarations.map((each) => [each.name, each]));
  for (const each of declarations) named.set(`${each.file}: ${each.name}`, each);
  const table = new RegExp(
    String.raw`\b(?:from|join|into|update|using|copy|table:) '?(${advisorOwned.join('|')}|\$\{table\})(?!\w)`,
    'g',
  );
  return declarations
    .filter(({ text }) => runs.test(text) && /function/.test(text.slice(0, 40)))
    .map((declaration) => {
      const text = withParts(declaration, named);
      const tables = Array.from(text.matchAll(table), ([, name]) => String(name));
      const mentions = text.match(/advisor_id/g)?.length ?? 0;
      return {
        name: `${declaration.file}: ${declaration.name}`,
        tables: [...new Set(tables)],
        namesAdvisor:
          bindings.some((binding) => binding.test(text)) &&
          mentions >= tables.length &&
          !/\bforAllAdvisors\b/.test(declaration.text),
        spans: reasonIn(declaration.comment),
      };
    })
    .filter(({ tables, spans }) => tables.length > 0 || spans !== null);
}

function reasonIn(comment: string): string | null {
  const text = comment.replaceAll(/\s*(?:\n \*|\*\/|\/\*\*)\s*/g, ' ');
  return text.match(/Spans advisors: (.+?)\.(?:\s|$)/)?.[1] ?? null;
}

/** A function's text with that of the SQL it is made of: other declarations that it names, and those that they name. */
function withParts(declaration: Declaration, named: Map<string, Declaration>): string {
  const parts = new Set([declaration]);
  for (const { file, text } of parts)
    for (const [word] of text.matchAll(/[A-Za-z][A-Za-z0-9_]+/g)) {
      const part = named.get(`${file}: ${word}`) ?? named.get(word);
      // A function that runs statements of its own is looked at by itself.
      if (part && !runs.test(part.text) && !part.text.startsWith('type')) parts.add(part);
    }
  return Array.from(parts, ({ text }) => text).join('\n');
}

function declarationsIn(path: string): Declaration[] {
  const found: Declaration[] = [];
  let comment = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const name = line.match(beginning)?.[1];
    if (name) found.push({ file: relative(folder, path), name, comment, text: '' });
    if (/^\/\*\*/.test(line)) comment = '';
    if (/^(?:\/\*\*| \*)/.test(line)) comment += `${line}\n`;
    else if (line !== '') comment = '';
    const last = found.at(-1);
    if (last && !/^(?:\/\*\*| \*)/.test(line)) last.text += `${line}\n`;
  }
  return found;
}
