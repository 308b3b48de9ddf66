import type { Deps } from '../../deps.ts';
import { findAccessEpoch } from '../../store/access/access-epoch.ts';

/** A number that grows with every write that may end somebody's access. */
export type AccessEpoch = {
  /** As of less than a second ago; undefined if nobody has asked for that long. */
  known(): number | undefined;
  /** As of now. */
  read(): Promise<number>;
};

const askEveryMs = 400;
const goodMs = 900;

/** One question for all callers of this node, while there are any. The answer counts from when it was asked for. */
export function accessEpoch({ db }: Pick<Deps, 'db'>): AccessEpoch {
  let last = { epoch: 0, askedAtMs: Number.NEGATIVE_INFINITY };
  let reading: Promise<number> | null = null;

  async function ask(): Promise<number> {
    const askedAtMs = Date.now();
    const epoch = await findAccessEpoch(db);
    last = { epoch, askedAtMs };
    return epoch;
  }

  function read(): Promise<number> {
    reading ??= ask().finally(() => {
      reading = null;
    });
    return reading;
  }

  return {
    read,
    known() {
      // A clock that was set back makes it old, too.
      const ageMs = Math.abs(Date.now() - last.askedAtMs);
      if (ageMs > askEveryMs) read().catch(() => {});
      return ageMs < goodMs ? last.epoch : undefined;
    },
  };
}
