import { getStaff } from '../../domain/accounts/staff.ts';
import { freeWaiting } from '../../domain/delivery/freeing.ts';
import { acceptStep } from '../../domain/operations/clock-steps.ts';
import { always, type Verb } from '../verb.ts';
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
  {
    name: 'clock accept',
    about:
      'After the database’s clock was set back, record again with the time that it says now, instead of waiting until it has caught up. Make sure first that this time is right: entries from before the step have later times than those that follow, which an operator then explains in the console, by the number of the entry that this prints. Texts that were put off until the later time get a turn now. Who ran this and why is archived.',
    options: {
      reason: { value: 'TEXT', about: 'Why the clock was set back.', required: true },
      by: { value: 'EMAIL|ID', about: 'Staff member who does this.', required: true },
    },
    examples: ["clock accept --reason 'The database’s machine was an hour ahead' --by dana@example.com --yes"],
    isFinal: always,
    run: async ({ runtime, options, out }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      const accepted = await acceptStep(runtime, { reason: options.reason ?? '', staff });
      // Their turns are of the later time.
      out.records([{ ...accepted, textsFreed: await freeWaiting(runtime) }]);
    },
  },
];
