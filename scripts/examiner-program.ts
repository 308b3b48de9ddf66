import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server/src/config.ts';

/** In the order in which they are read. */
const modules = ['tree', 'notes', 'entries', 'emails', 'disposals', 'times', 'zip', 'package', 'program'];
const lineWidth = 120;

const heading = `// Everything an examiner needs to check our evidence, in one file without dependencies. Plain JavaScript: it runs as it is
// on Node 20.12 or later.
//
//   node verify.mjs --package DIR --checkpoint FILE --pubkey FILE
//
// The folder is the package that was handed over; the checkpoint and the public key should have come by a different route.
// It exits with 0 if the package is as it was signed, 1 if something was altered, inserted or moved, 2 if something is
// missing, and 3 if it can't tell. It names the first entry that is wrong.
//
// \`npm run generate\` joins it from the modules in server/src/domain/examiner.
`;

/** The examiner's modules as one file: without exports, with each of Node's own modules imported once. */
export function examinerProgram(): string {
  const imported = new Map<string, Set<string>>();
  const texts = modules.map((name) => {
    const text = readFileSync(join(root, 'server/src/domain/examiner', `${name}.mjs`), 'utf8');
    return text
      .replace(/^import \{([^}]+)\} from '([^']+)';\n/gm, (_, names: string, from: string) => {
        if (!from.startsWith('node:')) return '';
        const known = imported.get(from) ?? new Set();
        for (const each of names.split(',')) if (each.trim() !== '') known.add(each.trim());
        imported.set(from, known);
        return '';
      })
      .replace(/^\/\*\* @import .*\n/gm, '')
      .replace(/^export /gm, '')
      .replace(/\n{3,}/g, '\n\n');
  });
  const imports = [...imported].sort(([a], [b]) => (a < b ? -1 : 1)).map(([from, names]) => importOf(from, names));
  return [heading + imports.join(''), ...texts].join('\n');
}

function importOf(from: string, names: Set<string>): string {
  const sorted = [...names].sort();
  const line = `import { ${sorted.join(', ')} } from '${from}';\n`;
  return line.length <= lineWidth + 1
    ? line
    : `import {\n${sorted.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}
