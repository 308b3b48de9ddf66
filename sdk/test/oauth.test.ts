import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type AssentError, oauth } from '@assent/client';

const client = { tokenUrl: 'https://auth.example.com/token', clientId: 'id', clientSecret: 'secret' };
const hourMs = 3_600_000;

/** A token endpoint that gives numbered tokens, and what it was sent. */
function endpoint(answer: (form: URLSearchParams, call: number) => Response = tokens) {
  const forms: URLSearchParams[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    const form = new URLSearchParams(String(init.body));
    forms.push(form);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return answer(form, forms.length);
  };
  return { forms, fetch };
}

function tokens(_: URLSearchParams, call: number): Response {
  return Response.json({
    access_token: `access ${call}`,
    refresh_token: `refresh ${call}`,
    expires_in: 900,
    scope: 'openid',
  });
}

function storeOf(first: oauth.Tokens | null) {
  const store = {
    tokens: first,
    get: () => store.tokens,
    set(next: oauth.Tokens) {
      store.tokens = next;
    },
  };
  return store;
}

const stored = (name: string, expiresAt = Date.now() + hourMs): oauth.Tokens => ({
  accessToken: `access ${name}`,
  refreshToken: `refresh ${name}`,
  expiresAt,
  scope: 'openid',
});

test('the address has every parameter, keeps those it had, and fits its verifier', async () => {
  const authUrl = 'https://auth.example.com/auth?returnTo=%2Fx';
  const { url, state, verifier } = await oauth.authorizeUrl({
    authUrl,
    clientId: 'id',
    redirectUri: 'https://a.example/cb',
    scope: ['openid', 'offline_access'],
  });
  const { searchParams } = new URL(url);
  assert.match(verifier, /^[\w-]{43}$/);
  assert.match(state, /^[\w-]{22}$/);
  assert.deepEqual(Object.fromEntries(searchParams), {
    returnTo: '/x',
    response_type: 'code',
    client_id: 'id',
    redirect_uri: 'https://a.example/cb',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    scope: 'openid offline_access',
  });
});

test('a callback gives its code, or says why there is none', () => {
  assert.deepEqual(oauth.callback('/cb?code=c&state=s', { state: 's' }), { code: 'c' });
  const codeOf = (url: string) => {
    try {
      oauth.callback(url, { state: 's' });
    } catch (error) {
      return (error as AssentError).code;
    }
  };
  assert.equal(codeOf('https://a.example/cb?code=c&state=other'), 'state');
  assert.equal(codeOf('https://a.example/cb?error=access_denied&state=other'), 'state');
  assert.equal(codeOf('https://a.example/cb?error=access_denied&state=s'), 'access_denied');
});

test('a code is exchanged once: a lost answer is not repeated, an unavailable server is', async () => {
  const given = { ...client, redirectUri: 'https://a.example/cb', code: 'c', verifier: 'v' };
  const lost = endpoint(() => {
    throw new TypeError('fetch failed');
  });
  await assert.rejects(oauth.exchange({ ...given, fetch: lost.fetch }), { code: 'connection' });
  assert.equal(lost.forms.length, 1);
  const busy = endpoint((form, call) => (call === 1 ? new Response('', { status: 503 }) : tokens(form, call)));
  const began = Date.now();
  const { accessToken, refreshToken, scope, expiresAt } = await oauth.exchange({ ...given, fetch: busy.fetch });
  assert.deepEqual([accessToken, refreshToken, scope], ['access 2', 'refresh 2', 'openid']);
  assert.ok(expiresAt >= began + 900_000 && expiresAt <= Date.now() + 900_000, `${expiresAt - began} ms`);
  assert.equal(busy.forms[0]?.get('code_verifier'), 'v');
});

test('many who need a new token get it from one refresh, and it is stored', async () => {
  const { forms, fetch } = endpoint();
  const store = storeOf(stored('old', Date.now() + 1_000));
  const source = oauth.tokenSource({ ...client, store, fetch });
  const given = await Promise.all([1, 2, 3].map(() => source({ refresh: false })));
  assert.deepEqual([given, forms.length], [['access 1', 'access 1', 'access 1'], 1]);
  assert.equal(store.tokens?.refreshToken, 'refresh 1');
  // Somebody who was refused with the old one gets the new one, without another refresh.
  assert.equal(await source({ refresh: true, rejected: 'access old' }), 'access 1');
  assert.equal(forms.length, 1);
});

test('tokens that another process stored are used instead of a refresh', async () => {
  const { forms, fetch } = endpoint();
  const store = storeOf(stored('old'));
  const source = oauth.tokenSource({ ...client, store, fetch });
  assert.equal(await source({ refresh: false }), 'access old');
  store.tokens = stored('newer');
  assert.equal(await source({ refresh: true, rejected: 'access old' }), 'access newer');
  assert.equal(forms.length, 0);
});

test('a refresh whose answer was lost is repeated with the same token, within 25 seconds', async () => {
  const { forms, fetch } = endpoint((form, call) => {
    if (call === 1) throw new TypeError('fetch failed');
    return tokens(form, call);
  });
  const source = oauth.tokenSource({ ...client, store: storeOf(stored('old', 0)), fetch });
  assert.equal(await source({ refresh: false }), 'access 2');
  assert.deepEqual(
    forms.map((form) => form.get('refresh_token')),
    ['refresh old', 'refresh old'],
  );
});

test('a grant that has ended says to connect again', async () => {
  const { forms, fetch } = endpoint(() => Response.json({ error: 'invalid_grant' }, { status: 400 }));
  const source = oauth.tokenSource({ ...client, store: storeOf(stored('old', 0)), fetch });
  await assert.rejects(source({ refresh: false }), { code: 'invalid_grant', status: 400 });
  assert.equal(forms.length, 1);
  await assert.rejects(oauth.tokenSource({ ...client, store: storeOf(null), fetch })({ refresh: false }), {
    code: 'invalid_grant',
  });
});

test('tokens that couldn’t be stored are stored with the next call', async () => {
  const { forms, fetch } = endpoint();
  const store = { ...storeOf(null), kept: null as oauth.Tokens | null, fails: true };
  const source = oauth.tokenSource({
    ...client,
    fetch,
    store: {
      get: () => store.kept ?? stored('old', 0),
      set(next) {
        if (store.fails) throw new Error('The disk is full.');
        store.kept = next;
      },
    },
  });
  await assert.rejects(source({ refresh: false }), /disk is full/);
  store.fails = false;
  assert.equal(await source({ refresh: false }), 'access 1');
  assert.deepEqual([store.kept?.accessToken, forms.length], ['access 1', 1]);
});

test('client credentials name the advisor, and are asked for once', async () => {
  const { forms, fetch } = endpoint();
  const source = oauth.clientCredentials({ ...client, advisorId: 1001, scope: 'text.messaging.read', fetch });
  assert.deepEqual(await Promise.all([source({ refresh: false }), source({ refresh: false })]), [
    'access 1',
    'access 1',
  ]);
  assert.equal(await source({ refresh: false }), 'access 1');
  assert.equal(await source({ refresh: true, rejected: 'access 1' }), 'access 2');
  assert.deepEqual(Object.fromEntries(forms[0] ?? []), {
    grant_type: 'client_credentials',
    advisor_id: '1001',
    scope: 'text.messaging.read',
    client_id: 'id',
    client_secret: 'secret',
  });
  assert.equal(forms.length, 2);
});
