import type { App } from '../../src/app.ts';
import { type Client, givePassword, makeClient } from './oauth-client.ts';
import { Visitor } from './visitor.ts';
import { makeWorld, type World } from './world.ts';

export { password } from './oauth-client.ts';

export type AdvisorApp = {
  world: World;
  app: App;
  /** An application called Sandbox CRM. */
  client: Client;
  visitor(address?: string): Visitor;
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
  return {
    world,
    app: world.app,
    client,
    visitor: (address = '203.0.113.7') => new Visitor(world.app, { address }),
    close: () => world.close(),
  };
}
