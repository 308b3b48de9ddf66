import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseYaml } from '@redocly/openapi-core';
import { pingRedis } from '../../src/adapters/redis/ping.ts';
import { listVerbs } from '../../src/cli/verbs.ts';
import { ConfigError, readConfig, root, settings } from '../../src/config.ts';
import { freePort } from '../support/programs.ts';
import { skip as lacksRedis } from '../support/redis.ts';
import { until } from '../support/waiting.ts';

/** The containers run as an ordinary user, for whom a file without write permission stays closed. */
const nobody = 65_534;
const systemdAnalyze = '/usr/bin/systemd-analyze';
const known = new Set(Object.values(settings).map(({ name }) => name as string));
const defaultOf = (name: string) => Number(Object.values(settings).find((each) => each.name === name)?.default);
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the files have every shape.
type ParsedFile = any;
/** The documents in a YAML file. */
const yaml = (path: string): ParsedFile[] =>
  read(path)
    .split(/^---$/m)
    .map((text) => parseYaml(text));

/** Names of settings that Assent doesn't know. */
const unknownIn = (environment: object) => Object.keys(environment).filter((name) => !known.has(name));
const manifests = globSync('*.yaml', { cwd: join(root, 'deploy/kubernetes') })
  .filter((name) => !name.startsWith('kust'))
  .sort();
/** The resources of a kind. */
const of = (kind: string) =>
  manifests.flatMap((name) => yaml(`kubernetes/${name}`)).filter((each) => each.kind === kind);
const workloads = () => [...of('Deployment'), ...of('StatefulSet'), ...of('Job')];
const verbs = await listVerbs();
const isVerb = ([program, verb]: string[]) => program === 'assent' && verbs.some(({ name }) => name === verb);

suite('the files to deploy with', () => {
  test('the command finds its Node.js and runs', () => {
    const env = { PATH: '/usr/bin:/bin' };
    const { status, stdout, stderr } = spawnSync(join(root, 'server/bin/assent'), ['help'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^For operators, who run it$/m);
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
    const all = (pattern: RegExp) => [...dockerfile.matchAll(pattern)].map(([, name]) => name);
    assert.deepEqual(all(/^ARG (.*)$/gm), ['NODE_IMAGE', 'DEBIAN_IMAGE'], 'without defaults');
    assert.deepEqual([...new Set(all(/^FROM \$\{(\w+)\}/gm))], all(/^ARG (.*)$/gm));
    assert.equal(all(/^(FROM) /gm).length, all(/^FROM \$\{(\w+)\}/gm).length);
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
    const [{ services }] = yaml('docker/compose.yaml') as [ParsedFile];
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
    const [{ services }] = yaml('docker/compose.yaml') as [ParsedFile];
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
    assert.deepEqual([...kustomization.resources].sort(), manifests);
    const [config] = of('ConfigMap');
    assert.deepEqual(unknownIn(config.data), []);
    for (const { kind, metadata, spec } of workloads()) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec;
      const [{ args, env = [], envFrom, ...container }] = containers;
      assert.ok(isVerb(args), metadata.name);
      // What the cluster tells is for other values to use.
      const given = (env as ParsedFile[]).filter(({ valueFrom }) => !valueFrom);
      assert.deepEqual(unknownIn(Object.fromEntries(given.map(({ name }) => [name, '']))), []);
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
    const [{ metadata, spec: workers }] = of('StatefulSet') as [ParsedFile];
    const settings = new Map(
      (workers.template.spec.containers[0].env as ParsedFile[]).map(({ name, value }) => [name, value]),
    );
    const folders = Array.from({ length: workers.replicas }, (_, index) =>
      settings.get('ARCHIVE_OUTSIDE_DIR').replace('$(POD_NAME)', `${metadata.name}-${index}`),
    );
    assert.equal(settings.get('ARCHIVE_OTHER_COPIES'), folders.join(','), 'a new worker reads the copies of all');
    for (const { metadata, spec } of of('Service'))
      assert.equal(spec.selector?.app, metadata.name === 'assent-closed' ? undefined : 'assent');
  });

  test('the ingress closes the paths that Caddy closes', () => {
    const closed = [...read('docker/Caddyfile').matchAll(/^\trespond (\S+) 404$/gm)].map(([, path]) => path);
    assert.deepEqual(closed, ['/metrics', '/readyz']);
    const [{ spec }] = of('Ingress') as [ParsedFile];
    const found = (spec.rules[0].http.paths as ParsedFile[]).map(({ path, pathType, backend }) => [
      path,
      pathType,
      backend.service.name,
    ]);
    assert.deepEqual(found, [...closed.map((path) => [path, 'Exact', 'assent-closed']), ['/', 'Prefix', 'assent-api']]);
  });

  test('a worker that starts again has the secret’s key, also where it had another', () => {
    const [{ spec }] = of('StatefulSet') as [ParsedFile];
    const folder = mkdtempSync(join(tmpdir(), 'assent-worker-'));
    const uid = process.getuid?.() === 0 ? nobody : undefined;
    try {
      for (const name of ['kept', 'outside', 'secret']) mkdirSync(join(folder, name));
      if (uid) for (const name of ['', 'kept', 'outside', 'secret']) chownSync(join(folder, name), uid, uid);
      const [shell, ...args] = spec.template.spec.initContainers[0].args as [string, string, string];
      const here = args.map((text) => text.replaceAll(/\/(kept|outside|secret)\b/g, (path) => folder + path));
      for (const key of ['first', 'second']) {
        rmSync(join(folder, 'secret/archive.key'), { force: true });
        writeFileSync(join(folder, 'secret/archive.key'), key, { mode: 0o444 });
        const env = { PATH: '/usr/bin:/bin', HOSTNAME: 'assent-work-0' };
        const { status, stderr } = spawnSync(shell, here, { env, encoding: 'utf8', uid, gid: uid });
        assert.equal(status, 0, stderr);
        assert.equal(readFileSync(join(folder, 'kept/keys/archive.key'), 'utf8'), key);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('every container of the manifests runs as nobody in particular, and can change nothing of its image', () => {
    for (const { metadata, spec } of workloads()) {
      const { containers, initContainers = [], volumes, ...pod } = spec.template.spec;
      assert.equal(pod.automountServiceAccountToken, false, metadata.name);
      assert.deepEqual(
        pod.securityContext,
        { runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        metadata.name,
      );
      assert.ok(!('hostNetwork' in pod || 'hostPID' in pod || 'hostIPC' in pod), metadata.name);
      assert.ok(!volumes.some((volume: object) => 'hostPath' in volume), metadata.name);
      for (const { name, image, securityContext } of [...initContainers, ...containers]) {
        // The name that kustomization.yaml replaces by a digest.
        assert.equal(image, 'assent', name);
        assert.deepEqual(
          securityContext,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          `${metadata.name} ${name}`,
        );
      }
    }
    const [namespace] = of('Namespace');
    assert.equal(namespace.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
  });

  test('every pod of the manifests may connect only where a policy says so', () => {
    const policies = of('NetworkPolicy').map(({ spec }) => spec);
    const everything = policies.filter(({ podSelector }) => Object.keys(podSelector).length === 0);
    assert.deepEqual(
      everything.map(({ policyTypes, ingress }) => [policyTypes, ingress]),
      [[['Ingress', 'Egress'], undefined]],
    );
    const labels = workloads().map(({ spec }) => spec.template.metadata.labels);
    for (const { podSelector, ingress = [], egress = [] } of policies) {
      const isChosen = (pod: Record<string, string>) =>
        Object.entries(podSelector.matchLabels ?? {}).every(([name, value]) => pod[name] === value);
      assert.ok(labels.some(isChosen), JSON.stringify(podSelector));
      // Neither a rule without peers nor one without ports: both would mean all.
      for (const { from } of ingress) assert.ok(from.length > 0);
      for (const { to } of egress) assert.ok(to.length > 0);
      for (const { ports } of [...ingress, ...egress]) assert.ok(ports.length > 0);
    }
  });

  test('every service of compose.yaml is as restricted, and only the proxy is root', () => {
    const [{ services, networks }] = yaml('docker/compose.yaml') as [ParsedFile];
    for (const [name, service] of Object.entries<ParsedFile>(services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.ok(!service.privileged && !service.network_mode && !service.pid, name);
      assert.deepEqual(service.cap_add, name === 'proxy' ? ['NET_BIND_SERVICE'] : undefined, name);
      if (name !== 'proxy') assert.match(service.user, /^(10001:10001|postgres)$/, name);
    }
    const on = (network: string) => Object.keys(services).filter((name) => network in namesOf(services[name].networks));
    assert.deepEqual(on('front'), ['api-1', 'api-2', 'proxy']);
    assert.deepEqual(on('data'), ['postgres', 'valkey', 'migrate', 'api-1', 'api-2', 'worker']);
    assert.equal(networks.data.internal, true);
    const trusted = services['api-1'].environment.TRUSTED_PROXIES;
    assert.equal(services.proxy.networks.front.ipv4_address, trusted);
    // Docker gives other containers addresses of the range.
    const [{ subnet, ip_range }] = networks.front.ipam.config;
    const isIn = (network: string) => {
      const [address = '', prefix] = network.split('/');
      const list = new BlockList();
      list.addSubnet(address, Number(prefix));
      return list.check(trusted);
    };
    assert.deepEqual([isIn(subnet), isIn(ip_range)], [true, false]);
  });

  test('nothing that is left to fill in passes silently in the manifests', () => {
    const found: string[] = [];
    for (const name of [...manifests, 'kustomization.yaml'])
      for (const document of yaml(`kubernetes/${name}`))
        for (const [path, value] of leaves(document)) {
          if (!/FILL IN/.test(String(value))) continue;
          found.push(path);
          const refuses = refusals.find(([place]) => place.test(path))?.[1] ?? assert.fail(`${name}: ${path}`);
          assert.ok(refuses(value, path), `${name}: ${path}`);
        }
    assert.ok(refusals.every(([place]) => found.some((path) => place.test(path))));
  });

  test('nothing that is left to fill in passes silently in .env: compose.yaml asks for each value', () => {
    const text = read('docker/compose.yaml');
    for (const [, asked] of text.matchAll(/(?<!\$)\$\{(.*?)\}/g)) assert.match(asked ?? '', /^\w+:\?$/);
    const given = [...read('docker/example.env').matchAll(/^(\w+)=(.*)$/gm)];
    const folders = ['ARCHIVE_KEYS', 'ARCHIVE_OUTSIDE'];
    for (const [, name = '', value = ''] of given)
      if (name.endsWith('_IMAGE')) assert.match(value, /^[\w./-]+:[\w.-]+@sha256:$/, name);
      else if (!folders.includes(name)) assert.equal(value, '', name);
    const [{ services }] = yaml('docker/compose.yaml') as [ParsedFile];
    for (const [name, { image }] of Object.entries<ParsedFile>(services))
      assert.match(image, /^(assent|\$\{\w+_IMAGE:\?\})$/, name);
    assert.deepEqual(Object.keys(services.migrate.build.args), ['NODE_IMAGE', 'DEBIAN_IMAGE']);
  });

  test('Valkey of compose.yaml wants the password', { skip: lacksRedis }, async () => {
    const [{ services }] = yaml('docker/compose.yaml') as [ParsedFile];
    const port = await freePort();
    const [shell, flag, script] = services.valkey.command as [string, string, string];
    // Redis reads the same settings. Compose makes one dollar of two.
    const here = script.replaceAll('$$', '$').replace('valkey-server -', `redis-server - --port ${port}`);
    assert.notEqual(here, script);
    const env = { PATH: '/usr/bin:/bin', REDISCLI_AUTH: 'abc123' };
    const valkey = spawn(shell, [flag, here], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => valkey.once('close', resolve));
    try {
      const url = services['api-1'].environment.REDIS_URL.replace('valkey:6379', `127.0.0.1:${port}`);
      const ping = (password: string) => pingRedis(url.replace(/\$\{.*?\}/, password));
      await until('it answers', () =>
        ping('abc123').then(
          () => true,
          () => false,
        ),
      );
      await assert.rejects(ping('wrong'), /WRONGPASS/);
      await assert.rejects(pingRedis(`redis://127.0.0.1:${port}`), /NOAUTH/);
    } finally {
      valkey.kill('SIGKILL');
      await ended;
    }
  });

  const skip = existsSync(systemdAnalyze) ? false : `there is no ${systemdAnalyze}`;
  test('systemd accepts the unit', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'assent-unit-'));
    try {
      const unit = join(folder, 'assent@api.service');
      writeFileSync(unit, read('systemd/assent@.service').replaceAll('/opt/assent/current', root.replace(/\/$/, '')));
      const { status, stdout, stderr } = spawnSync(systemdAnalyze, ['verify', '--man=no', unit], { encoding: 'utf8' });
      assert.deepEqual([status, stdout, stderr], [0, '', '']);
      const [, seconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(read('systemd/assent@.service')) ?? [];
      assert.ok(Number(seconds) > drainSeconds(String(defaultOf('STOP_GRACE_MS'))));
      const rated = spawnSync(systemdAnalyze, ['security', '--offline=yes', '--threshold=11', unit]);
      assert.equal(rated.status, 0, `more exposed than 1.1: ${rated.stdout}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Who refuses a value, by the place where it is. */
const refusals: [RegExp, (value: string, path: string) => boolean][] = [
  // The process doesn't start, and says which setting it is.
  [/^\/data\/\w+$/, (value, path) => isRefused(path.slice('/data/'.length), value)],
  // The API server takes only what these are.
  [/\/ipBlock\/cidr$/, (value) => isIP(value.split('/')[0] ?? '') === 0],
  [/\/matchLabels\/kubernetes\.io\/metadata\.name$/, (value) => !/^[\w.-]{0,63}$/.test(value)],
  [/\/(host|hosts\/\d+)$/, (value) => !/^[a-z0-9.-]+$/.test(value)],
  // A node can't pull an image that has no such name.
  [/^\/images\/\d+\/digest$/, (value) => !/^sha256:[0-9a-f]{64}$/.test(value)],
];

function isRefused(name: string, value: string): boolean {
  try {
    readConfig({ [name]: value });
    return false;
  } catch (error) {
    return error instanceof ConfigError && error.message.startsWith(`${name} `);
  }
}

/** Every value in a document, with where it is. */
function* leaves(value: ParsedFile, path = ''): Generator<[path: string, value: ParsedFile]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [name, inner] of Object.entries(value)) yield* leaves(inner, `${path}/${name}`);
}

/** Compose has networks as a list or with settings of each. */
function namesOf(networks: string[] | object): object {
  return Array.isArray(networks) ? Object.fromEntries(networks.map((name) => [name, null])) : networks;
}

/** The longest that a stop takes with the default settings: the grace, then a slow request and a slow statement; or texts in flight. */
function drainSeconds(stopGraceMs: string): number {
  const requestsMs = Number(stopGraceMs) + defaultOf('REQUEST_TIMEOUT_MS') + defaultOf('DATABASE_TIMEOUT_MS');
  const textsMs = defaultOf('CARRIER_TIMEOUT_MS') + 20_000;
  return Math.max(requestsMs, textsMs) / 1_000;
}
