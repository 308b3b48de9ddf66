import { freeWaiting } from '../../domain/delivery/freeing.ts';
import { setWaitingAside } from '../../domain/delivery/set-aside.ts';
import { always, type Verb } from '../verb.ts';

export const textVerbs: Verb[] = [
  {
    name: 'texts free',
    about:
      'Give texts that stand still a turn now, such as those that a wrong clock put off until tomorrow: at their number’s pace, through the gate again, and for no longer than they would have been tried.',
    run: async ({ runtime, out }) => {
      const texts = await freeWaiting(runtime);
      out.note(`${texts} texts were freed. Those that quiet hours keep wait again.`);
    },
  },
  {
    name: 'texts set-aside',
    about:
      'After a restore: mark every queued text in_doubt and stop texts to groups, because they may already have been sent. Works only while the copies outside show that the database was restored.',
    isFinal: always,
    run: async ({ runtime, out }) => {
      const { texts, broadcasts } = await setWaitingAside(runtime);
      out.note(`${texts} texts are in doubt now, and are not sent again. ${broadcasts} texts to groups were stopped.`);
    },
  },
];
