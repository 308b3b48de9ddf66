import type { Verb } from '../verb.ts';
import { examine } from './doctor.ts';
import { showOverview } from './status.ts';

export const operationsVerbs: Verb[] = [
  {
    name: 'doctor',
    about:
      'Check this deployment with its settings, change nothing, and say what to do: the database, the archive, carriers, numbers, files, Redis. Exits with 0 if nothing fails, 1 if something does, 2 if a setting can’t be used or there is no database to look at.',
    options: { strict: { about: 'Exit with 1 for warnings, too.' } },
    // It has to say what is wrong with a database that nothing else could use.
    offline: true,
    run: examine,
  },
  {
    name: 'status',
    about: 'Show how the deployment does: processes, queued texts, recent traffic, carriers, webhooks, the archive.',
    run: showOverview,
  },
];
