import type { App } from '../../src/app.ts';
import { type Client, givePassword, makeClient, password } from './oauth-client.ts';
import { Visitor } from './visitor.ts';
import { makeWorld, type World } from './world.ts';

export { password } from './oauth-client.ts';

export type AdvisorApp = {
  world: World;
  app: App;
  /** An application called Sandbox CRM. */
  client: Client;
  visitor(address?: string): Visitor;
  /** A browser in which somebody is signed in, ann if not told otherwise, and the token that the app's scripts send. */
  signedIn(email?: string): Promise<{ visitor: Visitor; formToken: string }>;
  close(): Promise<void>;
};

/** The app and an application that asks for access; ann has a password, bob has none. */
export async function makeAdvisorApp(
  env: Record<string, string> = {},
  redirectUri = 'https://crm.example/callback?x=1',
): Promise<AdvisorApp> {
  const world = await makeWorld({ env });
  await givePassword(world, world.ann);
  const client = await makeClient(world, { name: 'Sandbox CRM', redirectUris: [redirectUri] });
  const visitor = (address = '203.0.113.7') => new Visitor(world.app, { address });
  return {
    world,
    app: world.app,
    client,
    visitor,
    async signedIn(email = world.ann.advisor.email) {
      const theirs = visitor();
      await theirs.signIn(email, password);
      return { visitor: theirs, formToken: (await theirs.get('/app/api/session')).body.formToken };
    },
    close: () => world.close(),
  };
}
