import { setWaitingAside } from '../../domain/delivery/set-aside.ts';
import { always, type Verb } from '../verb.ts';

export const textVerbs: Verb[] = [
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
