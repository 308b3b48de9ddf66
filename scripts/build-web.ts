// Builds web/ into web/dist, if what it is made of has changed since. `npm start` runs it beside the server (scripts/start.js), which says
// so on /app until it is done.
//
//   node scripts/build-web.ts           if needed
//   node scripts/build-web.ts --force   in any case
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { brotliCompress } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}web/dist`;
const making = `${dist}.${process.pid}`;
/** What decides about the result. The lock file has the version of every package in it. */
const inputs = [
  'package-lock.json',
  'scripts/build-web.ts',
  'server/src/domain/carriers/health.ts',
  'server/src/domain/shared/phone-numbers.ts',
  'server/src/domain/shared/text/{formulas,text-rules}.ts',
  'server/src/domain/texting/{fields,segments}.ts',
  'server/src/domain/sandbox/{client-code,curl,redaction}.ts',
  'server/src/http/browser/palette.css',
  'web/{index.html,console.html,vite.config.ts,package.json}',
  'web/{src,public}/**/*.*',
];
const compressible = /\.(js|css|html|svg|webmanifest)$/;
const compress = promisify(brotliCompress);

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  // The server that starts beside it goes first.
  setPriority(10);
  process.once('SIGTERM', () => {
    rmSync(making, { recursive: true, force: true });
    process.exit(1);
  });
  try {
    await buildWeb(process.argv.includes('--force'));
  } catch (error) {
    process.stderr.write(`${explain(error as NodeJS.ErrnoException)}\n`);
    process.exitCode = 1;
  }
}

/** Puts a complete build into place at once, so that a request never meets half of one. */
export async function buildWeb(force = false): Promise<void> {
  const version = versionOf();
  if (!force && version === built()) return;
  // Vite is a development tool: a server that has its build already needs none.
  const { build } = await import('vite');
  await build({
    configFile: `${root}web/vite.config.ts`,
    logLevel: 'silent',
    build: { outDir: making, emptyOutDir: true },
  });
  const files = globSync('**/*.*', { cwd: making }).filter((file) => compressible.test(file));
  await Promise.all(
    files.map(async (file) => writeFileSync(`${making}/${file}.br`, await compress(readFileSync(`${making}/${file}`)))),
  );
  writeFileSync(`${making}/version`, version);
  replace(making, version);
}

/** For somebody who only wanted to start a server. */
function explain({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') return 'The packages that build them are not installed: run `npm ci` first.';
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return `You can’t write to ${root}web: run \`npm start\` as its owner, or clone it into a folder of your own.`;
  return stripVTControlCharacters(message);
}

/** Somebody else may have built the same meanwhile: whoever comes first wins. */
function replace(folder: string, version: string): void {
  const old = `${folder}.old`;
  try {
    mkdirSync(dist, { recursive: true });
    renameSync(dist, old);
    renameSync(folder, dist);
  } catch (error) {
    if (built() !== version) throw error;
  } finally {
    for (const each of [old, folder]) rmSync(each, { recursive: true, force: true });
  }
}

function versionOf(): string {
  const sum = createHash('sha256');
  for (const file of globSync(inputs, { cwd: root }).sort()) sum.update(file).update(readFileSync(root + file));
  return sum.digest('hex');
}

function built(): string | null {
  try {
    return readFileSync(`${dist}/version`, 'utf8');
  } catch {
    return null;
  }
}
