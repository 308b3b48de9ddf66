import assert from 'node:assert/strict';
import { isAbsolute, join } from 'node:path';
import { suite, test } from 'node:test';
import { ConfigError, readConfig, root, settings } from '../src/config.ts';

const production = {
  ASSENT_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  DATABASE_URL: 'postgres://database.example/assent',
};

function refused(env: Record<string, string>, message: RegExp): void {
  assert.throws(
    () => readConfig(env),
    (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, message);
      return true;
    },
  );
}

suite('the settings', () => {
  test('without any, the server is a sandbox on loopback, port 8080, with an embedded database in the checkout', () => {
    const { environment, host, port, publicUrl, dataDir, databaseUrl } = readConfig({});
    assert.deepEqual(
      { environment, host, port, publicUrl, dataDir, databaseUrl },
      {
        environment: 'sandbox',
        host: '127.0.0.1',
        port: 8080,
        publicUrl: 'http://localhost:8080',
        dataDir: join(root, '.assent'),
        databaseUrl: '',
      },
    );
  });

  test('a role is all unless it is set; one that needs others needs a database that they share', () => {
    assert.equal(readConfig({}).role, 'all');
    assert.equal(readConfig({ ...production, ROLE: 'work' }).role, 'work');
    refused({ ROLE: 'worker' }, /^ROLE is "worker": it must be one of all, api, work\.$/);
    for (const ROLE of ['api', 'work']) refused({ ROLE }, /^ROLE is ".+": set DATABASE_URL to the database/);
  });

  test('Redis is named by a URL, which may hold a password and is never shown', () => {
    const url = 'rediss://assent:secret@redis.example:6380';
    assert.equal(readConfig({ REDIS_URL: url }).redisUrl, url);
    for (const REDIS_URL of ['redis.example:6379', 'http://:secret@redis.example', 'redis://'])
      refused({ REDIS_URL }, /^REDIS_URL can’t be used: it must be a redis:\/\/ or rediss:\/\/ URL\.$/);
  });

  test('an empty setting counts as unset', () => {
    const env = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
    assert.deepEqual(readConfig(env), readConfig({}));
  });

  test('the sandbox’s URL has its port', () => {
    assert.equal(readConfig({ PORT: '9191' }).publicUrl, 'http://localhost:9191');
  });

  test('the data folder is relative to the checkout, wherever the program starts', () => {
    assert.equal(readConfig({ ASSENT_DATA_DIR: 'elsewhere' }).dataDir, join(root, 'elsewhere'));
    assert.equal(readConfig({ ASSENT_DATA_DIR: '/var/assent' }).dataDir, '/var/assent');
    assert.ok(isAbsolute(readConfig({}).dataDir));
  });

  test('a whole number within its bounds is accepted; anything else is refused with the setting’s name', () => {
    assert.equal(readConfig({ PORT: '1' }).port, 1);
    assert.equal(readConfig({ PORT: '65535' }).port, 65_535);
    for (const PORT of ['0', '65536', '-1', '80.5', '0x50', '1e3', ' 80', 'http', '８０'])
      refused({ PORT }, /^PORT is ".*": it must be a whole number from 1 to 65535\.$/);
    refused({ DATABASE_POOL_SIZE: '1' }, /^DATABASE_POOL_SIZE/);
    refused({ REQUEST_TIMEOUT_MS: '99' }, /^REQUEST_TIMEOUT_MS/);
  });

  test('a word that is not one of the choices is refused with a list of the choices', () => {
    refused({ ASSENT_ENV: 'Production' }, /^ASSENT_ENV is "Production": it must be one of sandbox, production\.$/);
    refused({ LOG_LEVEL: 'loud' }, /^LOG_LEVEL.*debug/);
  });

  test('the sandbox listens on loopback only', () => {
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) assert.equal(readConfig({ HOST }).host, HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com']) refused({ HOST }, /^HOST.*loopback/);
    assert.equal(readConfig({ ...production, HOST: '0.0.0.0' }).host, '0.0.0.0');
  });

  test('production needs an https public URL and its own database', () => {
    assert.equal(readConfig(production).publicUrl, 'https://api.example.com');
    refused({ ...production, PUBLIC_URL: 'http://api.example.com' }, /^PUBLIC_URL.*https/);
    refused({ ...production, PUBLIC_URL: '' }, /^PUBLIC_URL.*https/);
    for (const host of ['192.0.2.7', '[2001:db8::7]'])
      refused({ ...production, PUBLIC_URL: `https://${host}` }, /^PUBLIC_URL.*host name/);
    refused({ ...production, DATABASE_URL: '' }, /^DATABASE_URL/);
  });

  test('the public URL is an origin: no path, query, fragment or user', () => {
    assert.equal(
      readConfig({ ...production, PUBLIC_URL: 'https://api.example.com/' }).publicUrl,
      production.PUBLIC_URL,
    );
    for (const more of ['/v1', '/?x', '/#x']) refused({ PUBLIC_URL: `https://api.example.com${more}` }, /^PUBLIC_URL/);
    for (const PUBLIC_URL of ['https://user@api.example.com', 'ftp://api.example.com', 'api.example.com'])
      refused({ PUBLIC_URL }, /^PUBLIC_URL/);
  });

  test('a refused database URL is not repeated, because it may contain a password', () => {
    refused({ DATABASE_URL: 'mysql://assent:swordfish@localhost/x' }, /^DATABASE_URL (?!.*swordfish).*postgres:\/\//);
  });

  test('the database’s URL has one address: what stands behind it is a proxy’s part', () => {
    for (const url of ['postgres://one,two/x', 'postgres://u:p@one:1,two:2', 'postgres:///x?port=1&host=/one,/two'])
      refused({ DATABASE_URL: url }, /^DATABASE_URL .*a postgres:\/\/ URL with one address/);
    for (const url of [
      'postgres://u:p,q@one/x',
      'postgres:///x?host=/one',
      'postgres://u:p@[::1]:1/x?options=-c%20a=b,c',
    ])
      assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url);
  });

  test('trusted proxies are IP addresses and networks, none by default', () => {
    assert.deepEqual(readConfig({}).trustedProxies, []);
    assert.deepEqual(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fd00::/8,::1,' }).trustedProxies, [
      '10.0.0.0/8',
      '192.0.2.7',
      'fd00::/8',
      '::1',
    ]);
    for (const wrong of [
      'proxy.example',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::/129',
      '10.0.0.0/',
      '/8',
      '*',
      'true',
    ])
      refused({ TRUSTED_PROXIES: `10.0.0.1,${wrong}` }, /^TRUSTED_PROXIES.*IP addresses and networks/);
  });

  test('each setting has a name, a default and a sentence for the reference', () => {
    for (const { name, about, default: byDefault } of Object.values(settings)) {
      assert.match(name, /^[A-Z][A-Z_]+$/);
      assert.match(about, /\.$/);
      assert.equal(typeof byDefault, 'string');
    }
  });
});
