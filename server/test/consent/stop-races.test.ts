import { after, test } from 'node:test';
import { isWhole } from '../support/rounds.ts';
import { openStage, stopRaces } from './stop-races.ts';

/** `npm run faults -- --only races` runs more. */
const waves = 1;

const stage = await openStage(isWhole ? 1 : 0.25);
after(() => stage.close());

for (const [promise, race] of Object.entries(stopRaces)) test(promise, () => race(stage, waves));
