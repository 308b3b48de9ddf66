import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { closeBrowser, skip as lacksBrowser, launchBrowser, stepMsMax } from '../support/browser.ts';
import { type DebianPostgres, skip as lacksPostgres, startDebianPostgres } from '../support/debian-postgres.ts';
import { freePort, isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

/** The blocks of a section of a page for operators. */
function blocksOf(page: string, heading: string): string[] {
  const text = readFileSync(join(root, 'docs/operators', page), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)^## `, 'ms').exec(text) ?? [];
  return [...section.matchAll(/^```\w+\n(.*?)^```/gms)].map(([, block = '']) => block);
}

const [prepare = '', build = '', begin = '', replace = ''] = blocksOf('deploy.md', 'systemd');
const [roles = '', settings = '', , start = ''] = blocksOf('running.md', 'First steps in production');
const stepsMs = 600_000;
/** Who serves: nobody in particular, where the steps are root's. */
const user = process.getuid?.() === 0 ? 'nobody' : userInfo().username;
const skip = lacksPostgres || lacksBrowser;

/** The steps, with folders of the test's own, and stand-ins for what would change the machine: systemd among them. */
suite('the installation with systemd, pasted from the page for operators', { skip }, () => {
  let postgres: DebianPostgres;
  let folder: string;
  let port: number;
  before(async () => {
    postgres = await startDebianPostgres();
    port = await freePort();
    folder = mkdtempSync(join(tmpdir(), 'assent-systemd-'));
    chmodSync(folder, 0o755);
    for (const path of ['bin', 'usr/local/bin', 'etc/systemd/system'])
      mkdirSync(join(folder, path), { recursive: true });
    const as = user === 'nobody' ? 'setpriv --reuid=nobody --regid=nogroup --clear-groups' : '';
    program('sudo', 'exec "$@"');
    for (const name of ['apt-get', 'useradd']) program(name, 'true');
    // It reads the files as root, and runs the command as somebody else.
    program(
      'systemd-run',
      `for each; do
         case $each in EnvironmentFile=*) set -a; . "\${each#*=}"; set +a;; -*) ;; *) break;; esac
         shift
       done
       exec ${as} env -u HOME PATH=${folder}/usr/local/bin:/usr/bin:/bin "$@"`,
    );
    program(
      'systemctl',
      `[ "$1" = daemon-reload ] && exit
       if [ -f ${folder}/pid ]; then kill $(cat ${folder}/pid); while kill -0 $(cat ${folder}/pid); do sleep 0.1; done 2>&-; fi
       of() { sed -n "s#^$1=/opt#${folder}/opt#p" "${folder}/etc/systemd/system/assent@.service"; }
       cd $(of WorkingDirectory)
       set -a; . ${folder}/etc/assent/assent.env
       ${as} $(of ExecStart) > ${folder}/said 2>&1 < /dev/null &
       echo $! > ${folder}/pid`,
    );
  });
  after(async () => {
    await closeBrowser();
    if (existsSync(join(folder, 'pid')) && isAlive(pid())) process.kill(pid(), 'SIGKILL');
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const pid = () => Number(readFileSync(join(folder, 'pid'), 'utf8'));
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  /** The reader's own values. */
  const own = (text: string) =>
    text
      .replaceAll(
        /(?<![\w/])\/(opt\/assent|etc\/assent|mnt\/elsewhere|etc\/systemd|usr\/local\/bin)/g,
        (path) => folder + path,
      )
      .replaceAll('https://git.example.com/assent', root)
      .replaceAll(/(-o|chown) assent/g, `$1 ${user}`)
      .replaceAll(/@db\.example\.com\/assent[^']*/g, `@localhost:${postgres.port}/assent`);

  function paste(script: string): string {
    const { PATH, HOME } = process.env;
    // How npm gets to its registry from this machine: it may be set where the npm of another Node.js doesn't look.
    const reach = Object.entries(process.env).filter(([name]) =>
      /^npm_config_(registry|cafile|(https_?)?proxy)$/.test(name),
    );
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', own(script)], {
      env: { PATH: `${folder}/bin:${PATH}`, HOME, npm_config_prefer_offline: 'true', ...Object.fromEntries(reach) },
      encoding: 'utf8',
      timeout: stepsMs,
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    return stdout;
  }

  async function assertServes(version: string): Promise<void> {
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;
    await until('the server is ready', isReady, stepsMs, 200).catch((error) =>
      assert.fail(`${error}\n${readFileSync(join(folder, 'said'), 'utf8')}`),
    );
    assert.equal(readlinkSync(`/proc/${pid()}/cwd`), version);
  }

  test('ends with an app and a console that open, and a new version takes its place', async () => {
    postgres.paste(own(roles));
    postgres.paste('alter system set fsync = on;\nselect pg_reload_conf();\n');
    paste(prepare);
    const environment = own(settings)
      .replaceAll(/^export /gm, '')
      .replace(/^assent\(\).*\n/m, '');
    writeFileSync(join(folder, 'etc/assent/assent.env'), `${environment}PORT=${port}\n`);
    const [, owner = ''] = /^(DATABASE_URL=\S+) assent migrate$/m.exec(start) ?? [];
    writeFileSync(join(folder, 'etc/assent/owner.env'), own(`${owner}\n`));
    const said = paste(`${build}${begin}\necho "VERSION $VERSION"`);
    assert.match(said, /^ok +pages +\/app and \/console are built$/m);
    const [, version = ''] = /^VERSION (.*)$/m.exec(said) ?? [];
    assert.ok(!existsSync(join(version, 'node_modules/vite')), 'the tools are gone');
    await assertServes(version);
    const browser = await launchBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(stepMsMax);
    for (const path of ['/app', '/console']) {
      await page.goto(`http://localhost:${port}${path}`);
      await page.getByRole('heading', { name: /^sign in/i }).waitFor();
    }

    const next = `${version}-next`;
    spawnSync('cp', ['-al', version, next]);
    paste(`VERSION=${next}; cd $VERSION\n${replace}`);
    await assertServes(next);
  });
});
