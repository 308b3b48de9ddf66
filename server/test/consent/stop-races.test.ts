import { after, test } from 'node:test';
import { openStage, stopRaces } from './stop-races.ts';

/** `npm run faults -- --only races` runs more. */
const waves = 1;

const stage = await openStage();
after(() => stage.close());

for (const [promise, race] of Object.entries(stopRaces)) test(promise, () => race(stage, waves));
