import { makeSmallArchive } from '../test/archive/small-archive.ts';
import type { Who } from '../test/archive/tampering.ts';
import { type TamperingOutcome, tryTampering } from '../test/archive/try-tampering.ts';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';

const everyone: Who[] = ['application', 'owner', 'superuser'];

/** Tampers with an archive in every known way as each of three roles, prints the outcomes, and returns those that are wrong. */
export async function tryTamperings(say: (line: string) => void): Promise<string[]> {
  await globalSetup();
  try {
    const archive = await makeSmallArchive();
    const outcomes = await tryTampering(archive);
    await archive.drop();
    show(outcomes, say);
    return outcomes.filter(isWrong).map(({ name, who, outcome, said }) => `${name} by the ${who}: ${outcome}, ${said}`);
  } finally {
    await globalTeardown();
  }
}

function isWrong({ outcome, named }: TamperingOutcome): boolean {
  return outcome === 'missed' || !named;
}

function show(outcomes: TamperingOutcome[], say: (line: string) => void): void {
  const kinds = Map.groupBy(outcomes, ({ name }) => name);
  const width = Math.max(...[...kinds.keys()].map((name) => name.length));
  say(`\n${'tampering with the archive'.padEnd(width)}  ${everyone.map((who) => who.padEnd(12)).join('')}`);
  for (const [name, ofKind] of kinds) {
    const cells = everyone.map((who) => cellOf(ofKind.find((each) => each.who === who)).padEnd(12));
    say(`${name.padEnd(width)}  ${cells.join('').trimEnd()}`);
  }
  const count = (of: (outcome: TamperingOutcome) => boolean) => outcomes.filter(of).length;
  const refused = count(({ outcome }) => outcome === 'refused');
  const detected = count(({ outcome }) => outcome === 'detected');
  const named = count(({ outcome, named }) => outcome === 'detected' && named);
  say(
    `${kinds.size} kinds, tried ${outcomes.length} times: ${refused} refused, ${detected} detected, ${named} of them with the entry named`,
  );
}

function cellOf(outcome: TamperingOutcome | undefined): string {
  if (!outcome) return '–';
  return outcome.outcome === 'detected' && !outcome.named ? 'not named' : outcome.outcome;
}
