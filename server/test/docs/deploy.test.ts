import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseYaml } from '@redocly/openapi-core';
import { listVerbs } from '../../src/cli/verbs.ts';
import { root, settings } from '../../src/config.ts';

const systemdAnalyze = '/usr/bin/systemd-analyze';
const known = new Set(Object.values(settings).map(({ name }) => name as string));
const defaultOf = (name: string) => Number(Object.values(settings).find((each) => each.name === name)?.default);
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the files have every shape.
type Parsed = any;
/** The documents in a YAML file. */
const yaml = (path: string): Parsed[] =>
  read(path)
    .split(/^---$/m)
    .map((text) => parseYaml(text));

/** Names of settings that Assent doesn't know. */
const unknownIn = (environment: object) => Object.keys(environment).filter((name) => !known.has(name));
const verbs = await listVerbs();
const isVerb = ([program, verb]: string[]) => program === 'assent' && verbs.some(({ name }) => name === verb);

suite('the files to deploy with', () => {
  test('the command finds its Node.js and runs', () => {
    const env = { PATH: '/usr/bin:/bin' };
    const { status, stdout, stderr } = spawnSync(join(root, 'deploy/bin/assent'), ['help'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^assent <verb>/);
  });

  test('the Dockerfile copies what exists and isn’t ignored, and runs a verb', () => {
    const dockerfile = read('Dockerfile');
    const allowed = read('Dockerfile.dockerignore').matchAll(/^!(.*)$/gm);
    const paths = [...allowed].map(([, path = '']) => path);
    const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    for (const source of copies) {
      assert.ok(existsSync(join(root, source)), `${source} is missing`);
      assert.ok(paths.includes(source), `${source} is ignored`);
    }
    assert.ok(copies.length > 5);
    const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    assert.ok(isVerb(JSON.parse(command)), command);
    const [, environment = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
    const names = environment.split(' ').map((pair) => [pair.split('=')[0], '']);
    assert.deepEqual(unknownIn(Object.fromEntries(names)), []);
    assert.match(dockerfile, /^USER assent$/m);
  });

  const notLinux = process.platform === 'linux' ? false : 'images are for Linux';
  test('the image has the libraries that Node.js links with', { skip: notLinux }, () => {
    const { status, stdout, stderr } = spawnSync('ldd', [process.execPath], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const linked = [...stdout.matchAll(/^\s*(lib[\w+]+)\.so\.\d+ =>/gm)].map(([, name = '']) => name);
    const inBaseImage = ['libc', 'libdl', 'libgcc_s', 'libm', 'libpthread', 'libstdc++'];
    const others = linked.filter((name) => !inBaseImage.includes(name));
    assert.deepEqual(others, ['libatomic']);
    assert.match(read('Dockerfile'), / libatomic1 /);
  });

  test('compose.yaml has two API nodes, a worker, a proxy, and only settings and variables that there are', () => {
    const text = read('docker/compose.yaml');
    const [{ services }] = yaml('docker/compose.yaml') as [Parsed];
    const expected = ['postgres', 'valkey', 'migrate', 'api-1', 'api-2', 'worker', 'proxy'];
    assert.deepEqual(Object.keys(services), expected);
    const ours = ['migrate', 'api-1', 'api-2', 'worker'];
    for (const name of ours) {
      const { environment, command, depends_on, stop_grace_period } = services[name];
      assert.deepEqual(unknownIn(environment), [], name);
      assert.ok(command === undefined || isVerb(command), name);
      assert.ok(
        Object.keys(depends_on).every((other) => other in services),
        name,
      );
      assert.ok(Number.parseInt(stop_grace_period, 10) > drainSeconds(environment.STOP_GRACE_MS), name);
    }
    const roles = ours.slice(1).map((name) => services[name].environment.ROLE);
    assert.deepEqual(roles, ['api', 'api', 'work']);
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    const given = new Set([...read('docker/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name));
    assert.deepEqual(asked, given);
    for (const path of ['docker/Caddyfile', 'docker/roles.sh']) assert.ok(existsSync(join(root, 'deploy', path)));
    const { status, stderr } = spawnSync('bash', ['-n', join(root, 'deploy/docker/roles.sh')], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('Caddy passes requests on to the API nodes, and logs neither headers nor queries', () => {
    const [{ services }] = yaml('docker/compose.yaml') as [Parsed];
    const nodes = Object.keys(services).filter((name) => services[name].environment?.ROLE === 'api');
    const [, port] = /^EXPOSE (\d+)$/m.exec(read('Dockerfile')) ?? [];
    const caddyfile = read('docker/Caddyfile');
    assert.ok(caddyfile.includes(`reverse_proxy ${nodes.map((name) => `${name}:${port}`).join(' ')} {`));
    // An API key is a header that Caddy doesn't know as a secret.
    assert.match(caddyfile, /^\t\t\trequest>headers delete$/m);
    assert.match(caddyfile, /^\t\t\trequest>uri regexp \\\?\.\* \?$/m);
  });

  test('the manifests are whole: resources, settings, probes, and time to drain', () => {
    const [kustomization] = yaml('kubernetes/kustomization.yaml');
    const files = globSync('*.yaml', { cwd: join(root, 'deploy/kubernetes') }).filter(
      (name) => !name.startsWith('kust'),
    );
    assert.deepEqual([...kustomization.resources].sort(), files.sort());
    const all = files.flatMap((name) => yaml(`kubernetes/${name}`));
    const of = (kind: string) => all.filter((each) => each.kind === kind);
    const [config] = of('ConfigMap');
    assert.deepEqual(unknownIn(config.data), []);
    for (const { kind, metadata, spec } of [...of('Deployment'), ...of('StatefulSet'), ...of('Job')]) {
      const { containers, securityContext, terminationGracePeriodSeconds } = spec.template.spec;
      const [{ args, env = [], envFrom, ...container }] = containers;
      assert.ok(isVerb(args), metadata.name);
      assert.ok(securityContext.runAsNonRoot && container.securityContext.readOnlyRootFilesystem);
      assert.deepEqual(unknownIn(Object.fromEntries(env.map(({ name }: { name: string }) => [name, '']))), []);
      assert.equal(envFrom[0].configMapRef.name, config.metadata.name);
      if (kind === 'Job') continue;
      assert.equal(container.readinessProbe.httpGet.path, '/readyz');
      assert.equal(container.livenessProbe.httpGet.path, '/healthz');
      const pause = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
      assert.ok(terminationGracePeriodSeconds > pause + drainSeconds(config.data.STOP_GRACE_MS), metadata.name);
      const budget = of('PodDisruptionBudget').find((each) => each.metadata.name === metadata.name);
      assert.deepEqual(budget.spec.selector, spec.selector);
      const { periodSeconds, failureThreshold = 3 } = container.readinessProbe;
      if (pause > 0) assert.ok(Number(config.data.STOP_GRACE_MS) >= periodSeconds * failureThreshold * 1_000);
    }
    for (const { spec } of of('Service')) assert.equal(spec.selector.app, 'assent');
  });

  const skip = existsSync(systemdAnalyze) ? false : `there is no ${systemdAnalyze}`;
  test('systemd accepts the unit', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'assent-unit-'));
    try {
      const unit = join(folder, 'assent@api.service');
      writeFileSync(unit, read('systemd/assent@.service').replaceAll('/opt/assent', root.replace(/\/$/, '')));
      const { status, stdout, stderr } = spawnSync(systemdAnalyze, ['verify', '--man=no', unit], { encoding: 'utf8' });
      assert.deepEqual([status, stdout, stderr], [0, '', '']);
      const [, seconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(read('systemd/assent@.service')) ?? [];
      assert.ok(Number(seconds) > drainSeconds(String(defaultOf('STOP_GRACE_MS'))));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The longest that a stop takes with the default settings: the grace, then a slow request and a slow statement; or texts in flight. */
function drainSeconds(stopGraceMs: string): number {
  const requestsMs = Number(stopGraceMs) + defaultOf('REQUEST_TIMEOUT_MS') + defaultOf('DATABASE_TIMEOUT_MS');
  const textsMs = defaultOf('CARRIER_TIMEOUT_MS') + 20_000;
  return Math.max(requestsMs, textsMs) / 1_000;
}
