/** Where everything runs: models, races and fuzzing go through all of their rounds, and through a quarter in the loop of a change. */
export const isWhole = Boolean(process.env.ASSENT_TEST_WHOLE);

export function rounds(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 4);
}
