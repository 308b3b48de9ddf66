// What may import what: every module of server/src with the modules it may use, and nothing else. A file belongs to the
// longest name here that its path begins with. `npm test` checks it, and ARCHITECTURE.md shows it.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What every capability of the domain may use besides the others that its row names. */
export const ground = 'deps.ts config.ts log.ts store domain/ports.ts domain/problems.ts domain/shared';

export const allowedImports: Record<string, string> = {
  // The store remembers and calls nobody.
  store: 'store',
  // The domain decides. Its capabilities stand on one another in this order, without a circle.
  'domain/problems.ts': 'store/database',
  'domain/examiner': '',
  'domain/ports.ts': 'store domain/examiner',
  'domain/shared': ground,
  'domain/archive': `${ground} domain/examiner`,
  'domain/events': ground,
  'domain/sign-in': `${ground} domain/archive`,
  'domain/accounts': `${ground} domain/archive domain/sign-in`,
  'domain/carriers': `${ground} domain/archive domain/accounts`,
  'domain/access': `${ground} domain/archive domain/sign-in domain/accounts`,
  'domain/content': ground,
  'domain/members': `${ground} domain/archive`,
  'domain/address-book': `${ground} domain/archive domain/accounts domain/members`,
  'domain/webhooks': `${ground} domain/archive domain/events domain/accounts domain/access domain/address-book`,
  'domain/texting': `${ground} domain/archive domain/accounts domain/members domain/address-book`,
  'domain/supervision': `${ground} domain/archive domain/accounts domain/texting`,
  'domain/record-keeping': `${ground} domain/examiner domain/archive domain/accounts domain/supervision`,
  'domain/consent': `${ground} domain/archive domain/accounts domain/members domain/texting domain/supervision`,
  'domain/messages': `${ground} domain/archive domain/texting domain/consent`,
  'domain/conversations': `${ground} domain/archive domain/address-book domain/texting domain/messages`,
  'domain/broadcasts': `${ground} domain/archive domain/address-book domain/texting domain/consent domain/messages`,
  'domain/delivery': `${ground} domain/archive domain/accounts domain/carriers domain/texting domain/consent domain/broadcasts`,
  'domain/operations': `${ground} domain/archive domain/accounts domain/carriers domain/webhooks`,
  'domain/sandbox': `${ground} domain/archive domain/sign-in domain/accounts domain/members domain/access domain/content domain/address-book domain/texting domain/consent`,
  // Schemas describe the wire in the domain's words.
  schemas: 'schemas domain',
  // Adapters talk to something outside. They know the domain's ports and words, and no door.
  'adapters/carriers/kinds.ts': 'domain/ports.ts adapters/carriers',
  'adapters/carriers/sandbox': 'domain/ports.ts store/database store/sandbox',
  'adapters/carriers/smpp': 'domain/ports.ts domain/texting schemas adapters/carriers/shared',
  'adapters/carriers/twilio': 'domain/ports.ts schemas adapters/carriers/http',
  'adapters/carriers/telnyx': 'domain/ports.ts schemas adapters/carriers/http',
  'adapters/carriers/http': 'config.ts domain/ports.ts schemas adapters/carriers/shared adapters/outbound',
  'adapters/carriers/shared': 'domain/ports.ts',
  'adapters/crm': 'domain/ports.ts schemas adapters/outbound adapters/files/contacts',
  'adapters/webhooks': 'domain/ports.ts adapters/outbound',
  'adapters/redis': 'domain/ports.ts',
  'adapters/checkpoints': 'domain/ports.ts',
  'adapters/commands': 'domain/ports.ts',
  'adapters/diagnostics': 'config.ts domain adapters/redis',
  'adapters/outbound': '',
  'adapters/files/text': 'domain/shared',
  'adapters/files/contacts': 'domain schemas adapters/files/text',
  'adapters/files/content': 'domain adapters/files/text',
  'adapters/files/exports': 'domain',
  'adapters/files/keys': 'config.ts domain',
  // Doors translate: they call the domain, never the store or another door.
  'http/door': 'deps.ts log.ts domain schemas',
  'http/browser': 'config.ts deps.ts domain http/door',
  'http/docs': 'http/door http/browser',
  'http/partner': 'domain schemas http/door',
  'http/app': 'config.ts domain http/door http/browser',
  'http/advisor': 'deps.ts domain schemas http/door http/browser oauth',
  'http/console': 'deps.ts domain schemas http/door http/browser',
  'http/carriers': 'deps.ts domain http/door',
  'http/sandbox': 'config.ts deps.ts domain schemas http/door http/browser http/docs http/openapi',
  'http/openapi': 'domain schemas http/door oauth',
  http: 'deps.ts domain http/door http/browser oauth',
  oauth: 'deps.ts log.ts domain',
  jobs: 'deps.ts log.ts domain',
  cli: 'config.ts log.ts runtime.ts domain schemas adapters/diagnostics adapters/redis adapters/files main.ts',
  // What puts it together.
  'log.ts': '',
  'setting-parsers.ts': '',
  'settings.ts': 'setting-parsers.ts',
  'config.ts': 'settings.ts',
  'deps.ts': 'config.ts domain/ports.ts domain/shared store',
  'runtime.ts': 'config.ts deps.ts log.ts domain store adapters',
  'app.ts': 'deps.ts log.ts domain store http oauth',
  'serve.ts': 'config.ts deps.ts log.ts domain app.ts runtime.ts jobs adapters/redis',
  'main.ts': 'config.ts log.ts runtime.ts serve.ts',
};

/** Packages that only these modules may use. */
const packages: Record<string, string> = {
  pg: 'store',
  fastify: 'http app.ts log.ts',
  'oidc-provider': 'oauth',
  '@redis/client': 'adapters/redis',
};

const src = fileURLToPath(new URL('src/', import.meta.url));

/** Every import that no row allows, as `file -> file`; and every file that no row is about. */
export function findForbiddenImports(): string[] {
  return sourceFiles().flatMap((file) => {
    const module = moduleOf(file);
    if (!module) return [`${file} is in no module of server/allowed-imports.ts`];
    return importsOf(file).flatMap((target) => (isAllowed(module, target) ? [] : [`${file} -> ${target}`]));
  });
}

/** Every circle of files that import one another, as `file -> file -> file`. Types count too. */
export function findCircles(): string[] {
  const circles: string[] = [];
  const done = new Set<string>();

  function visit(file: string, path: string[]): void {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file) || path.includes(file)) return;
    for (const target of importsOf(file)) if (!(target in packages)) visit(target, [...path, file]);
    done.add(file);
  }

  for (const file of sourceFiles()) visit(file, []);
  return circles;
}

function sourceFiles(): string[] {
  return globSync('**/*.{ts,js,mjs}', { cwd: src }).sort();
}

function isAllowed(module: string, target: string): boolean {
  const of = packages[target];
  if (of) return of.split(' ').some((prefix) => isIn(module, prefix));
  if (isIn(target, module)) return true;
  return (allowedImports[module] ?? '').split(' ').some((allowed) => isIn(target, allowed));
}

/** Paths from src/ for our own files, bare names for packages that have a rule. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].flatMap(([, name = '']) => {
    if (name.startsWith('.')) return [normalize(join(dirname(file), name))];
    return name in packages ? [name] : [];
  });
}

function moduleOf(file: string): string | undefined {
  return Object.keys(allowedImports)
    .filter((module) => isIn(file, module))
    .sort((one, other) => other.length - one.length)[0];
}

function isIn(path: string, module: string): boolean {
  return module !== '' && (path === module || path.startsWith(`${module}/`));
}
