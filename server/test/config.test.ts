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
  test('without any, it is a sandbox on loopback, port 8080, with an embedded database in the checkout', () => {
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

  test('one that is empty counts as not set', () => {
    const env = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
    assert.deepEqual(readConfig(env), readConfig({}));
  });

  test('the sandbox’s address follows its port', () => {
    assert.equal(readConfig({ PORT: '9191' }).publicUrl, 'http://localhost:9191');
  });

  test('the data folder is relative to the checkout, wherever the program is started', () => {
    assert.equal(readConfig({ ASSENT_DATA_DIR: 'elsewhere' }).dataDir, join(root, 'elsewhere'));
    assert.equal(readConfig({ ASSENT_DATA_DIR: '/var/assent' }).dataDir, '/var/assent');
    assert.ok(isAbsolute(readConfig({}).dataDir));
  });

  test('a whole number in its bounds is taken, anything else refused by the name of its setting', () => {
    assert.equal(readConfig({ PORT: '1' }).port, 1);
    assert.equal(readConfig({ PORT: '65535' }).port, 65_535);
    for (const PORT of ['0', '65536', '-1', '80.5', '0x50', '1e3', ' 80', 'http', '８０'])
      refused({ PORT }, /^PORT is ".*": it must be a whole number from 1 to 65535\.$/);
    refused({ DATABASE_POOL_SIZE: '1' }, /^DATABASE_POOL_SIZE/);
    refused({ REQUEST_TIMEOUT_MS: '99' }, /^REQUEST_TIMEOUT_MS/);
  });

  test('a word that is not one of the choices is refused, with the choices', () => {
    refused({ ASSENT_ENV: 'Production' }, /^ASSENT_ENV is "Production": it must be one of sandbox, production\.$/);
    refused({ LOG_LEVEL: 'loud' }, /^LOG_LEVEL.*debug/);
  });

  test('the sandbox listens on loopback only', () => {
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) assert.equal(readConfig({ HOST }).host, HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com']) refused({ HOST }, /^HOST.*loopback/);
    assert.equal(readConfig({ ...production, HOST: '0.0.0.0' }).host, '0.0.0.0');
  });

  test('production needs an https public URL and a database of its own', () => {
    assert.equal(readConfig(production).publicUrl, 'https://api.example.com');
    refused({ ...production, PUBLIC_URL: 'http://api.example.com' }, /^PUBLIC_URL.*https/);
    refused({ ...production, PUBLIC_URL: '' }, /^PUBLIC_URL.*https/);
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

  test('a database’s address that is refused is not repeated: it may carry a password', () => {
    refused({ DATABASE_URL: 'mysql://assent:swordfish@localhost/x' }, /^DATABASE_URL (?!.*swordfish).*postgres:\/\//);
  });

  test('an identity provider is reached by https, in the sandbox also by http on loopback', () => {
    assert.equal(readConfig({}).oauthIssuer, '');
    for (const OAUTH_ISSUER of [
      'https://id.example.com',
      'https://id.example.com/',
      'https://id.example.com/realms/A%20b',
    ])
      for (const env of [{}, production])
        assert.equal(readConfig({ ...env, OAUTH_ISSUER }).oauthIssuer, OAUTH_ISSUER, 'it stays as it was given');
    for (const OAUTH_ISSUER of ['http://localhost:9000/a', 'http://127.0.0.1:9000', 'http://[::1]:9000']) {
      assert.equal(readConfig({ OAUTH_ISSUER }).oauthIssuer, OAUTH_ISSUER);
      refused({ ...production, OAUTH_ISSUER }, /^OAUTH_ISSUER.*https/);
    }
    for (const OAUTH_ISSUER of ['http://id.example.com', 'http://localhost.example.com', 'http://127.0.0.2'])
      refused({ OAUTH_ISSUER }, /^OAUTH_ISSUER.*https/);
    for (const rest of [
      'id.example.com',
      'ftp://x',
      'https://',
      'https://x?y',
      'https://x#y',
      'https://u@x',
      'https://x y',
    ])
      refused({ OAUTH_ISSUER: rest }, /^OAUTH_ISSUER.*it must be an https address/);
  });

  test('the audience of tokens is the API’s address, unless it is given', () => {
    assert.equal(readConfig({ PORT: '9191' }).oauthAudience, 'http://localhost:9191/v1');
    assert.equal(readConfig(production).oauthAudience, 'https://api.example.com/v1');
    assert.equal(readConfig({ OAUTH_AUDIENCE: 'api://assent' }).oauthAudience, 'api://assent');
  });

  test('claims are called as RFC 9068 calls them, and the advisor’s as ours does, unless others are given', () => {
    const { oauthAdvisorClaim, oauthApplicationClaim, oauthScopeClaim } = readConfig({});
    assert.deepEqual([oauthAdvisorClaim, oauthApplicationClaim, oauthScopeClaim], ['advisor_id', 'client_id', 'scope']);
    const OAUTH_ADVISOR_CLAIM = 'https://example.com/advisor';
    assert.equal(readConfig({ OAUTH_ADVISOR_CLAIM }).oauthAdvisorClaim, OAUTH_ADVISOR_CLAIM);
  });

  test('trusted proxies are addresses and networks, none by default', () => {
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
      refused({ TRUSTED_PROXIES: `10.0.0.1,${wrong}` }, /^TRUSTED_PROXIES.*addresses and networks/);
  });

  test('each has a name, a default and a sentence for the reference', () => {
    for (const { name, about, default: byDefault } of Object.values(settings)) {
      assert.match(name, /^[A-Z][A-Z_]+$/);
      assert.match(about, /\.$/);
      assert.equal(typeof byDefault, 'string');
    }
  });
});
