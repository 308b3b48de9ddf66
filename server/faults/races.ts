import { openStage, stopRaces } from '../test/consent/stop-races.ts';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';

const wavesPerRound = 10;

/** Runs every race for a number of rounds, each round on a new database, and returns the broken promises. */
export async function tryRaces(rounds: number, say: (line: string) => void): Promise<string[]> {
  const broken: string[] = [];
  await globalSetup();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const stage = await openStage();
      for (const [promise, race] of Object.entries(stopRaces))
        await race(stage, wavesPerRound).catch((error) => broken.push(`${promise}: ${error.message}`));
      say(
        `${round} rounds of races, ${stage.ledger.handed.length} texts handed over, ${broken.length} promises broken`,
      );
      await stage.close();
    }
  } finally {
    await globalTeardown();
  }
  return broken;
}
