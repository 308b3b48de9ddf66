// Writes dist/, the server as JavaScript: `npm pack -w server` runs this. Node.js strips the types, as it does in a checkout,
// so that both run the same code; it just doesn't do so below node_modules. With it goes what a sandbox hands out: the guides, the
// advisor's app, the packed client, and the project that `assent example` writes.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildWeb } from '../scripts/build-web.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = `${folder}dist`;

rmSync(dist, { recursive: true, force: true });
cpSync(`${folder}src`, dist, { recursive: true });
for (const path of globSync(`${dist}/**/*.ts`)) {
  const script = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  writeFileSync(path.replace(/\.ts$/, '.js'), script.replace(/'([\w./-]+)\.ts'/g, "'$1.js'"));
  rmSync(path);
}
cpSync(`${folder}../docs`, `${dist}/docs`, { recursive: true });
await buildWeb();
cpSync(`${folder}../web/dist`, `${dist}/web`, { recursive: true });
mkdirSync(`${dist}/client`);
execFileSync('npm', ['pack', '--silent', '--workspace', 'sdk', '--pack-destination', `${dist}/client`], {
  cwd: `${folder}..`,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const [client] = readdirSync(`${dist}/client`);
renameSync(`${dist}/client/${client}`, `${dist}/client.tgz`);
cpSync(`${folder}../sdk/examples/web-app`, `${dist}/cli/sandbox/web-app`, { recursive: true });
