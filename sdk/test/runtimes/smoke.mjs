// What every runtime must be able to do, without Node's own modules.
export async function smoke({ Assent, AssentError, oauth, webhooks }) {
  const calls = [];
  const assent = new Assent({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'key',
    token: 'token',
    fetch: async (url, init) => {
      calls.push([init.method, new URL(url).pathname]);
      if (calls.length === 1) throw new TypeError('The connection was reset.');
      if (url.includes('account')) {
        const problem = { code: 'forbidden', detail: 'No.', traceId: 't', retryable: false };
        return new Response(JSON.stringify(problem), {
          status: 403,
          headers: { 'content-type': 'application/problem+json' },
        });
      }
      return Response.json({ successes: [{ messageId: 1 }], failures: [], failureDetails: [] });
    },
  });
  const sent = await assent.messages.send({ phone: '+15005550006', text: 'Hello' });
  equal(sent.successes[0].messageId, 1);
  equal(calls.length, 2);
  const refused = await assent.account.get().catch((error) => error);
  equal(refused instanceof AssentError && refused.code, 'forbidden');

  const { url, verifier } = await oauth.authorizeUrl({
    authUrl: 'https://auth.example.com/auth',
    clientId: 'id',
    redirectUri: 'https://app.example.com/callback',
    scope: 'openid',
  });
  equal(verifier.length, 43);
  equal(new URL(url).searchParams.get('code_challenge').length, 43);

  const body = '{"type":"webhook.test"}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const raw = new Uint8Array(32).fill(7);
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`evt.${timestamp}.${body}`));
  const headers = {
    'webhook-id': 'evt',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`,
  };
  const secret = `whsec_${btoa(String.fromCharCode(...raw))}`;
  equal((await webhooks.verify(body, headers, secret)).type, 'webhook.test');
  const altered = await webhooks.verify(`${body} `, headers, secret).catch((error) => error);
  equal(altered.code, 'signature');
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`${actual} is not ${expected}`);
}
