import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type Client, makeClient, type Tokens } from '../support/oauth-client.ts';
import { rounds } from '../support/rounds.ts';
import { granted } from './setup.ts';
import { assertInvalidGrant, makeTwoNodes } from './two-nodes.ts';

const { world, crm, codeFor, begin, pass, assertEnded, unusedRefreshTokens, close } = await makeTwoNodes();
after(close);

/** The expected state of a chain of refresh tokens: which were used, how long ago, and whether the grant has ended. */
class Chain {
  readonly links: { tokens: Tokens; usedSecondsAgo: number | null }[];
  ended = false;

  constructor(first: Tokens) {
    this.links = [{ tokens: first, usedSecondsAgo: null }];
  }

  /** The expected outcome of presenting that link; updates the state. */
  present(index: number): 'new' | 'same' | 'refused' {
    const [link, successor] = [this.links[index], this.links[index + 1]];
    if (this.ended || !link) return 'refused';
    if (link.usedSecondsAgo === null) return 'new';
    if (link.usedSecondsAgo < 30 && successor?.usedSecondsAgo === null) return 'same';
    this.ended = true;
    return 'refused';
  }
}

type Command = fc.AsyncCommand<Chain, Client>;

function command(name: string, run: (chain: Chain, client: Client) => Promise<void>): Command {
  return {
    check: () => true,
    async run(chain, client) {
      await run(chain, client);
      assert.equal(await unusedRefreshTokens(client), chain.ended ? 0 : 1);
    },
    toString: () => name,
  };
}

/** How many steps from the end a link is: the last few are the interesting ones. */
const back = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3);

test('with any requests in any order, there is one chain or none', async () => {
  const stranger = await makeClient(world);

  const refresh = back.map((steps) =>
    command(`refresh with the link ${steps} before the end`, async (chain, client) => {
      const index = Math.max(0, chain.links.length - 1 - steps);
      const link = chain.links[index];
      assert.ok(link);
      const expected = chain.present(index);
      const answer = await client.refresh(link.tokens.refresh_token);
      if (expected === 'refused') return assertInvalidGrant(answer);
      const tokens = granted(answer);
      if (expected === 'same') return assert.deepEqual(tokens, chain.links[index + 1]?.tokens);
      link.usedSecondsAgo = 0;
      chain.links.push({ tokens, usedSecondsAgo: null });
    }),
  );

  const mistake = fc.tuple(back, fc.constantFrom('stranger', 'secret', 'scope', 'resource')).map(([steps, what]) =>
    command(`the link ${steps} before the end with a wrong ${what}`, async (chain, client) => {
      const token = chain.links[Math.max(0, chain.links.length - 1 - steps)]?.tokens.refresh_token ?? '';
      if (what === 'stranger') return assertInvalidGrant(await stranger.refresh(token));
      if (what === 'secret') return assert.equal((await client.refresh(token, { client_secret: 'x' })).status, 401);
      // For a used token, the reuse is the graver mistake, and decides.
      const index = chain.links.findIndex(({ tokens }) => tokens.refresh_token === token);
      if (what === 'resource' && chain.links[index]?.usedSecondsAgo !== null) return;
      const wrong: Record<string, string> =
        what === 'scope' ? { scope: 'openid nonsense' } : { resource: 'https://evil.example/' };
      assert.equal((await client.refresh(token, wrong)).status, 400);
    }),
  );

  // Never close to 30 seconds, so that the test's own duration doesn't matter.
  const time = fc.constantFrom(10, 50).map((seconds) =>
    command(`${seconds} seconds pass`, async (chain) => {
      await pass(seconds);
      for (const link of chain.links) if (link.usedSecondsAgo !== null) link.usedSecondsAgo += seconds;
    }),
  );

  const again = fc.constant(
    command('the advisor authorizes again', async (chain, client) => {
      if (!chain.ended) return;
      const first = granted(await client.redeem(await codeFor(client)));
      chain.links.splice(0, chain.links.length, { tokens: first, usedSecondsAgo: null });
      chain.ended = false;
    }),
  );

  const commands = fc.commands([refresh, refresh, refresh, mistake, time, again], { maxCommands: 20 });
  await fc.assert(
    fc.asyncProperty(commands, async (run) => {
      const chain = new Chain(await begin());
      await fc.asyncModelRun(() => ({ model: chain, real: crm }), run);
      const accessTokens = chain.links.map(({ tokens }) => tokens.access_token);
      if (chain.ended) await assertEnded(crm, accessTokens);
      else for (const token of accessTokens) assert.equal((await crm.call(token)).status, 200);
    }),
    { numRuns: rounds(40) },
  );
});
