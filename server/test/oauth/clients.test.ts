import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { provision } from '../../src/domain/access/grants.ts';
import { credentials } from '../support/nodes.ts';
import { allOf, type Client, makeClient, signInTo } from '../support/oauth-client.ts';
import {
  AuthorizationResponseError,
  type LibraryClient,
  oauth4webapi,
  openidClient,
  ResponseBodyError,
  validateAccessToken,
  WWWAuthenticateChallengeError,
} from '../support/oauth-libraries.ts';
import { freePort } from '../support/programs.ts';
import { Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

const redirectUri = 'https://crm.example/callback';

let world: World;
let origin: string;
let application: Client;
before(async () => {
  const port = await freePort();
  world = await makeWorld({ env: { PORT: String(port) } });
  origin = world.config.publicUrl;
  await world.app.listen({ host: world.config.host, port });
  application = await makeClient(world, { redirectUris: [redirectUri] });
  for (const { advisor } of [world.ann, world.bob])
    await provision(world.deps, advisor.advisorId, application.clientId);
});
after(() => world.close());

/** Goes through the pages as ann, in a browser that follows the application's link; returns where it is sent back to. */
async function decide(url: URL, decision: 'allow' | 'deny'): Promise<URL> {
  const visitor = new Visitor(origin);
  const { page, path } = await signInTo(world, visitor, url.href, world.ann);
  assert.equal(page.status, 200);
  const decided = await visitor.submit(page, path, { decision });
  const { location = '' } = await visitor.get(decided.location ?? '');
  assert.ok(location.startsWith(`${redirectUri}?`), location);
  return new URL(location);
}

async function status(accessToken: string, path = '/core/contact/contacts'): Promise<number> {
  const headers = credentials(accessToken, application.apiKey);
  const answer = await fetch(`${origin}/v1${path}`, { headers });
  await answer.body?.cancel();
  return answer.status;
}

/** Each can make the calls; the rest is tried with the first, since one library is built on the other. */
const libraries = [openidClient, oauth4webapi].flatMap((make) => [make('form'), make('basic')]);
for (const [index, library] of libraries.entries())
  suite(`${library.name}, unmodified`, () => {
    let client: LibraryClient;
    before(async () => {
      client = await library.connect(origin, application);
    });

    async function tokens(scope = allOf) {
      const { url, finish } = await client.authorize(redirectUri, scope);
      return finish(await decide(url, 'allow'));
    }

    test('completes the code flow with PKCE, state, iss and nonce, and its token works on the API', async () => {
      const answer = await tokens();
      assert.equal(answer.expires_in, 900);
      assert.deepEqual(answer.scope?.split(' ').sort(), allOf.split(' ').sort());
      assert.equal(answer.claims?.sub, String(world.ann.advisor.advisorId));
      assert.equal(answer.claims?.aud, application.clientId);
      assert.ok(answer.refresh_token);
      assert.equal(await status(answer.access_token), 200);
    });

    test('refreshes, and uses the new token', async () => {
      const first = await tokens();
      const second = await client.refresh(first.refresh_token ?? '');
      assert.notEqual(second.refresh_token, first.refresh_token);
      assert.notEqual(second.access_token, first.access_token);
      assert.equal(second.claims?.sub, first.claims?.sub);
      assert.equal(await status(second.access_token), 200);
      const third = await client.refresh(second.refresh_token ?? '');
      assert.equal(await status(third.access_token), 200);
    });

    test('acts for an advisor with client credentials, with text scopes only', async () => {
      for (const { advisor } of [world.ann, world.bob]) {
        const answer = await client.clientCredentials({ advisor_id: String(advisor.advisorId) });
        assert.equal(answer.scope, 'text.messaging.read text.messaging.write');
        assert.equal(answer.refresh_token, undefined);
        const claims = await validateAccessToken(client.metadata, answer.access_token, `${origin}/v1`);
        assert.equal(claims.advisor_id, advisor.advisorId);
        assert.equal(await status(answer.access_token, '/core/enumerations'), 200);
        assert.equal(await status(answer.access_token), 403);
      }
    });

    test('reports a wrong secret by its error', async () => {
      const wrong = await library.connect(origin, {
        ...application,
        clientSecret: (await makeClient(world)).clientSecret,
      });
      const advisor = { advisor_id: String(world.ann.advisor.advisorId) };
      await assert.rejects(wrong.clientCredentials(advisor), refused('invalid_client', 401));
      const { url, finish } = await wrong.authorize(redirectUri, allOf);
      await assert.rejects(finish(await decide(url, 'allow')), refused('invalid_client', 401));
    });

    if (index > 0) return;

    test('finds the server by both well-known documents, whose issuer is the address it was given', async () => {
      for (const document of ['oidc', 'oauth2'] as const) {
        const { metadata } = await library.connect(origin, application, document);
        assert.equal(metadata.issuer, origin);
        assert.equal(metadata.authorization_endpoint, `${origin}/oauth/authorize`);
        assert.equal(metadata.token_endpoint, `${origin}/oauth/token`);
        assert.equal(metadata.revocation_endpoint, `${origin}/oauth/revoke`);
        assert.equal(metadata.jwks_uri, `${origin}/oauth/jwks`);
        assert.equal(metadata.authorization_response_iss_parameter_supported, true);
      }
    });

    test('refuses an issuer that is not the server’s address', async () => {
      const elsewhere = origin.replace('localhost', '127.0.0.1');
      await assert.rejects(library.connect(elsewhere, application), /issuer|unexpected/i);
    });

    test('gets an access token that anybody can verify with the published keys', async () => {
      const { access_token } = await tokens();
      const claims = await validateAccessToken(client.metadata, access_token, `${origin}/v1`);
      assert.equal(claims.sub, String(world.ann.advisor.advisorId));
      assert.equal(claims.client_id, application.clientId);
      assert.equal(claims.advisor_id, world.ann.advisor.advisorId);
    });

    test('gets no refresh token without offline_access', async () => {
      const answer = await tokens('openid core.contacts.read');
      assert.equal(answer.refresh_token, undefined);
      assert.equal(answer.scope, 'openid core.contacts.read');
      assert.equal(await status(answer.access_token), 200);
    });

    test('notices a state and an iss that are not its own', async () => {
      for (const name of ['state', 'iss']) {
        const { url, finish } = await client.authorize(redirectUri, allOf);
        const back = await decide(url, 'allow');
        back.searchParams.set(name, 'https://else.example');
        await assert.rejects(finish(back), because(`"${name}"`));
      }
    });

    test('notices an id_token that carries the nonce of another request', async () => {
      const [mine, other] = [await client.authorize(redirectUri, allOf), await client.authorize(redirectUri, allOf)];
      other.url.searchParams.set('nonce', mine.url.searchParams.get('nonce') ?? '');
      const back = await decide(other.url, 'allow');
      await assert.rejects(other.finish(back), because('"nonce"'));
    });

    test('revokes a refresh token, and with it the access tokens', async () => {
      const answer = await tokens();
      await client.revoke(answer.refresh_token ?? '');
      await assert.rejects(client.refresh(answer.refresh_token ?? ''), refused('invalid_grant', 400));
      await until('the access token is refused', async () => (await status(answer.access_token)) === 401);
    });

    test('revokes an access token alone', async () => {
      const answer = await tokens();
      assert.equal(await status(answer.access_token), 200);
      await client.revoke(answer.access_token);
      await until('the access token is refused', async () => (await status(answer.access_token)) === 401);
      const next = await client.refresh(answer.refresh_token ?? '');
      assert.equal(await status(next.access_token), 200);
    });

    test('reports a denial as an authorization error', async () => {
      const { url, finish } = await client.authorize(redirectUri, allOf);
      const back = await decide(url, 'deny');
      await assert.rejects(finish(back), (error) => {
        assert.ok(error instanceof AuthorizationResponseError, String(error));
        assert.equal(error.error, 'access_denied');
        assert.equal(error.error_description, 'The advisor denied the request.');
        return true;
      });
    });

    test('reports a used code by the error in the body', async () => {
      const { url, finish } = await client.authorize(redirectUri, allOf);
      const back = await decide(url, 'allow');
      await finish(back);
      await assert.rejects(finish(back), refused('invalid_grant', 400));
    });
  });

/** One of the two libraries wraps the other's error. */
function because(name: string) {
  return (thrown: unknown): true => {
    const { message, cause } = thrown as Error;
    assert.ok(`${message} ${cause}`.includes(name), String(thrown));
    return true;
  };
}

function refused(error: string, status: number) {
  return (thrown: unknown): true => {
    const { error_description, ...found } = errorIn(thrown);
    assert.deepEqual(found, { error, status });
    assert.ok(error_description);
    return true;
  };
}

/** After a 401 by Basic, the libraries read the error from the challenge instead of the body. */
function errorIn(thrown: unknown) {
  if (thrown instanceof WWWAuthenticateChallengeError) {
    const { error, error_description } = thrown.cause[0]?.parameters ?? {};
    return { error, status: thrown.status, error_description };
  }
  assert.ok(thrown instanceof ResponseBodyError, String(thrown));
  const { error, status, error_description } = thrown;
  return { error, status, error_description };
}
