import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { until } from '../support/waiting.ts';

const other = process.platform === 'linux' ? 'darwin' : 'linux';
const lock = {
  '': { name: 'a' },
  server: { name: 'b' },
  'node_modules/used': { version: '1.0.0', integrity: 'sha512-u' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-t', dev: true },
  'node_modules/here': { version: '1.0.0', optional: true, os: [process.platform], cpu: process.arch },
  'node_modules/there': { version: '1.0.0', optional: true, os: [other], cpu: process.arch },
};
const { 'node_modules/there': _there, '': _root, ...ofThisPlatform } = lock;
const { 'node_modules/tool': _tool, ...withoutTools } = ofThisPlatform;
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const shells = { dash: ['dash', '-c'], bash: ['bash', '-c'], busybox: ['busybox', 'sh', '-c'] };
const isThere = (program: string) => spawnSync(program, ['--help']).error === undefined;

/** A checkout with our scripts, and made-up packages, npm, Node.js and server, which say what they were asked to do. */
suite('the scripts of package.json', () => {
  let checkout: string;
  const at = (path: string) => join(checkout, path);
  const program = (path: string, lines: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), `#!/bin/sh\n${lines}\n`);
    chmodSync(at(path), 0o755);
  };
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'assent-scripts-'));
    for (const folder of ['scripts', 'server/src', 'server/migrations']) mkdirSync(at(folder), { recursive: true });
    for (const name of ['run.cjs', 'programs.js', 'install.js', 'launch.js', 'start.js'])
      cpSync(join(root, 'scripts', name), at(`scripts/${name}`));
    writeFileSync(at('package.json'), '{"type": "module"}');
    writeFileSync(at('package-lock.json'), JSON.stringify({ packages: lock }));
    program('older/node', `exec ${process.execPath} "$@"`);
    program('older/npm', `echo "$@" >> ${at('npm.log')}; cp -r ${at('installed')}/. ${checkout}`);
    program('server/bin/assent', 'echo "assent $*"');
    installed(ofThisPlatform, 'installed');
  });
  afterEach(() => rmSync(checkout, { recursive: true, maxRetries: 10 }));

  /** As npm leaves it behind. */
  function installed(packages: Record<string, object>, folder = '.'): void {
    for (const path of Object.keys(packages)) mkdirSync(join(checkout, folder, path), { recursive: true });
    writeFileSync(join(checkout, folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    node('echo "ran $*"', folder);
  }

  /** The one of the lock file, which runs the scripts as well where it is there. */
  function node(lines: string, folder = '.'): void {
    const isScript = `case "$1" in scripts/*) exec ${process.execPath} "$@";; esac`;
    program(join(folder, 'node_modules/.bin/node'), `${isScript}\n${lines}`);
  }

  /** The way npm looks for programs: what the checkout has goes before what the system has. */
  const env = () => ({ PATH: `${at('node_modules/.bin')}:${at('older')}:/usr/bin:/bin` });

  function run(name: string, [shell = 'sh', ...flags]: string[] = ['sh', '-c']) {
    rmSync(at('npm.log'), { force: true });
    const command = [...flags, String(scripts[name])];
    const { status, stdout, stderr } = spawnSync(shell, command, { cwd: checkout, env: env(), encoding: 'utf8' });
    const npm = existsSync(at('npm.log')) ? readFileSync(at('npm.log'), 'utf8') : '';
    return { status, stdout, stderr, npm };
  }

  for (const [name, shell] of Object.entries(shells))
    test(`each works at its first call, where sh is ${name}`, { skip: !isThere(name) && `there is no ${name}` }, () => {
      // That one goes on until it is told to stop.
      for (const script of Object.keys(scripts).filter((each) => each !== 'dev')) {
        rmSync(at('node_modules'), { recursive: true, force: true });
        const { status, stdout, stderr, npm } = run(script, shell);
        assert.equal(status, 0, `${script}: ${stderr}`);
        assert.match(npm, /^ci --include=dev --include=optional/, script);
        assert.match(stdout, script === 'start' || script === 'assent' ? /^assent /m : /^ran \//m, script);
      }
    });

  test('one that nobody knows names those that there are', () => {
    const { status, stderr } = spawnSync(process.execPath, [at('scripts/run.cjs'), 'stat'], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^There is no script stat: it is one of start, dev, /);
  });

  test('install nothing after a plain `npm ci`', () => {
    installed(ofThisPlatform);
    for (const name of ['check', 'start', 'assent']) {
      const { npm, stderr } = run(name);
      assert.deepEqual({ npm, stderr }, { npm: '', stderr: '' });
    }
  });

  test('install nothing for the server after `npm ci --omit=dev`, and the tools for tests', () => {
    installed(withoutTools);
    for (const name of ['start', 'assent']) assert.equal(run(name).npm, '');
    assert.match(run('check').npm, /^ci --include=dev/);
  });

  test('install what a newer lock file, another platform or a deleted folder lacks', () => {
    installed({ ...ofThisPlatform, 'node_modules/used': { version: '0.9.0', integrity: 'sha512-o' } });
    assert.match(run('start').npm, /^ci /);
    const { 'node_modules/here': _here, ...elsewhere } = ofThisPlatform;
    installed(elsewhere);
    assert.match(run('start').npm, /^ci /);
    installed(ofThisPlatform);
    rmSync(at('node_modules/used'), { recursive: true });
    assert.match(run('start').npm, /^ci /);
  });

  test('for a command they install only where nothing is, since a server may run beside it', () => {
    assert.match(run('assent').npm, /^ci /);
    installed({ ...ofThisPlatform, 'node_modules/used': { version: '0.9.0', integrity: 'sha512-o' } });
    const { status, stderr, npm } = run('assent');
    assert.equal(npm, '');
    assert.equal(status, 1);
    assert.match(stderr, /node_modules are not those of package-lock\.json.*`npm ci`/);
  });

  test('they start nothing where npm stopped in the middle, also if it ended with 0', () => {
    program('older/npm', 'mkdir -p node_modules/used; echo "Exit handler never called!" >&2');
    const { status, stdout, stderr } = run('start');
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /never called!\nnpm ci failed; see its output above\.\n$/);
  });

  test('they run on the Node.js of the lock file, also where npm has left it out of .bin', () => {
    installed(ofThisPlatform);
    rmSync(at('node_modules/.bin/node'));
    const name = process.platform === 'linux' ? 'node-linux' : 'node-darwin';
    program(`node_modules/${name}-${process.arch}/bin/node`, 'echo "ran $*"');
    const { status, stdout, stderr } = run('check');
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^ran \//);
  });

  test('in a checkout of somebody else they say what is missing, and who can install it', {
    skip: process.getuid?.() === 0 && 'root can write everywhere',
  }, () => {
    chmodSync(checkout, 0o555);
    const { status, stderr } = run('start');
    chmodSync(checkout, 0o755);
    assert.equal(status, 1);
    assert.match(stderr, /^Packages are missing, and you can't write to .*: run `npm ci` there as its owner, or clone/);
  });

  suite('npm start and npm run dev', () => {
    let started: ChildProcess;
    let said = '';
    const dataDir = () => at('data');
    function start(name: string): void {
      said = '';
      const { PATH } = env();
      started = spawn('sh', ['-c', String(scripts[name])], {
        cwd: checkout,
        env: { PATH, ASSENT_DATA_DIR: dataDir() },
      });
      for (const stream of [started.stdout, started.stderr])
        stream?.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
    }
    const end = () => new Promise((resolve) => started.once('close', (code, signal) => resolve(code ?? signal)));
    const times = (what: string) => said.split(what).length - 1;
    beforeEach(() => {
      const whileStarted = 'while kill -0 $PPID 2>/dev/null; do sleep 0.05; done';
      program('server/bin/assent', `trap 'exit 7' TERM INT; echo "serving as $$"; ${whileStarted}`);
      installed(ofThisPlatform);
    });
    afterEach(() => void started?.kill('SIGKILL'));

    test('pass on signals, and end as the server does', async () => {
      for (const name of ['start', 'dev'])
        for (const signal of ['SIGTERM', 'SIGINT'] as const) {
          start(name);
          await until('it serves', () => said.includes('serving'));
          started.kill(signal);
          assert.equal(await end(), 7, `${name} ${signal}`);
        }
      program('server/bin/assent', 'exit 3');
      start('start');
      assert.equal(await end(), 3);
    });

    test('stopped while packages are installed, they say that, and no fault of npm', async () => {
      rmSync(at('node_modules'), { recursive: true });
      program('older/npm', 'exec sleep 60');
      start('start');
      await until('it installs', () => said.includes('Installing the packages'));
      started.kill('SIGINT');
      assert.equal(await end(), 1);
      assert.match(said, /…\nStopped before the packages were installed: the next start installs them\.\n$/);
    });

    test('npm run dev starts the server again after a change, and after a fault once something changes', async () => {
      rmSync(at('node_modules'), { recursive: true });
      start('dev');
      await until('it serves', () => times('serving') === 1);
      writeFileSync(at('server/src/new.ts'), '');
      await until('it serves again', () => times('serving') === 2);
      const [pid] = [...said.matchAll(/serving as (\d+)/g)].map(([, pid]) => Number(pid)).slice(-1);
      process.kill(pid ?? 0, 'SIGKILL');
      await until('it says so', () =>
        said.includes('The server ended (SIGKILL). It starts again when a source changes.'),
      );
      writeFileSync(at('server/src/new.ts'), '//');
      await until('it serves once more', () => times('serving') === 3);
      started.kill('SIGTERM');
      assert.equal(await end(), 7);
    });

    test('say why the pages could not be built, also to the server, which goes on', async () => {
      const note = () => JSON.parse(readFileSync(join(dataDir(), 'web-build.json'), 'utf8'));
      node('echo "a package is missing" >&2; exit 1');
      start('start');
      await until('it says so', () =>
        said.includes('console and /demonstration could not be built: a package is missing'),
      );
      assert.match(said, /a package is missing\nFix that, and start again\. The API/);
      assert.deepEqual(note(), { failed: 'a package is missing' });
      assert.equal(started.exitCode, null);
      started.kill('SIGTERM');
      await end();

      node('kill -9 $$');
      start('start');
      await until('it says so', () => said.includes('could not be built: its process was ended by SIGKILL'));
      started.kill('SIGTERM');
      await end();

      node('exit 0');
      start('start');
      await until('nothing is left to say', () => !existsSync(join(dataDir(), 'web-build.json')));
      started.kill('SIGTERM');
      await end();
    });

    test('a second server that finds the data folder in use leaves the note of the first one’s build', async () => {
      const first = JSON.stringify({ building: process.pid });
      mkdirSync(dataDir());
      writeFileSync(join(dataDir(), 'web-build.json'), first);
      node(`echo begun > ${at('begun')}; exec sleep 60`);
      program('server/bin/assent', `while [ ! -f ${at('begun')} ]; do sleep 0.05; done; exit 2`);
      start('start');
      assert.equal(await end(), 2);
      assert.equal(readFileSync(join(dataDir(), 'web-build.json'), 'utf8'), first);
    });
  });
});

test('a Node.js that is too old says in a sentence which one it takes', () => {
  const source = readFileSync(join(root, 'scripts/run.cjs'), 'utf8');
  for (const [version, platform, sentence] of [
    ['18.20.8', 'linux', 'Assent needs Node.js 20 or newer, and this is v18.20.8.'],
    ['20.0.0', 'win32', 'Assent runs on Linux and macOS: on Windows, run it in WSL.'],
  ]) {
    const said: string[] = [];
    const pretended = { versions: { node: version }, version: `v${version}`, platform, argv: [], exit: () => {} };
    new Function('process', 'console', source)(pretended, { error: (line: string) => said.push(line) });
    assert.deepEqual(said, [sentence]);
  }
});

test('`npm test` with a file that isn’t there names it, and starts nothing', () => {
  const asked = ['scripts/test.ts', 'nosuch.test.ts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, asked, { cwd: root, encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 2, stdout: '', stderr: 'There is no file nosuch.test.ts.\n' });
});
