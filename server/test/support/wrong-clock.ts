import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const [libfaketime] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
export const skip = libfaketime ? false : 'libfaketime is not installed: npm run test:setup';

/** For a test that gives texts and entries times of its own: the database refuses those that are far from its own. */
export const atAnyTime = 'alter table archive_entries disable trigger timely';

/** A program that is started with this environment sees a clock that can be set; its monotonic clock is the real one. */
export function wrongClock(folder: string) {
  const file = join(folder, 'faketime');
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  set(0);
  return {
    set,
    env: {
      LD_PRELOAD: libfaketime ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    },
  };
}
