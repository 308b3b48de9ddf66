import type { App } from '../../src/app.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { type Client, makeClient, password } from '../oauth/client.ts';
import { type Answer, inject, makeWorld, type World } from './world.ts';

export { password } from '../oauth/client.ts';

export type AdvisorApp = {
  world: World;
  app: App;
  /** An application called Sandbox CRM. */
  client: Client;
  visitor(address?: string): Visitor;
  close(): Promise<void>;
};

/** The app and an application that asks; ann has a password, bob has none. */
export async function makeAdvisorApp(
  env: Record<string, string> = {},
  redirectUri = 'https://crm.example/callback?x=1',
): Promise<AdvisorApp> {
  const world = await makeWorld({ env });
  await setAdvisor(world.deps, world.ann.advisor.advisorId, { password });
  const client = await makeClient(world, { name: 'Sandbox CRM', redirectUris: [redirectUri] });
  return {
    world,
    app: world.app,
    client,
    visitor: (address = '203.0.113.7') => makeVisitor(world.app, address),
    close: () => world.close(),
  };
}

/** A browser's manners without a browser: it keeps cookies and sends back the token of the page it saw last. */
export type Visitor = {
  cookies: Map<string, string>;
  get(url: string): Promise<Answer>;
  post(url: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  postJson(url: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  signIn(email: string, password: string, next?: string): Promise<Answer>;
};

function makeVisitor(app: App, remoteAddress: string): Visitor {
  const cookies = new Map<string, string>();
  let formToken = '';

  async function send(request: { method: 'GET' | 'POST'; url: string; headers?: object; payload?: string }) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie ? { cookie } : {}), ...request.headers };
    const answer = await inject(app, { ...request, headers, remoteAddress });
    for (const each of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    formToken = /name="formToken" value="([^"]+)"/.exec(String(answer.body))?.[1] ?? formToken;
    return answer;
  }

  const visitor: Visitor = {
    cookies,
    get: (url) => send({ method: 'GET', url }),
    post: (url, fields = {}, headers = {}) =>
      send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams({ formToken, ...fields }).toString(),
      }),
    postJson: (url, body, headers = {}) =>
      send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', 'x-form-token': formToken, ...headers },
        payload: JSON.stringify(body),
      }),
    async signIn(email, password, next = '') {
      await visitor.get('/sign-in');
      return visitor.post('/sign-in', { email, password, next });
    },
  };
  return visitor;
}
