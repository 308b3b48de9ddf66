import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { type Measured, measuredWithinMs, type NoteFromProcess, type NoteToProcess } from './notes.ts';

/** The processes that answer on one port, as one of them sees them. */
export type Siblings = {
  /** Whether this is the first that ever ran: it introduces the sandbox. */
  isFirst: boolean;
  tell(note: NoteFromProcess): Promise<void>;
  /** What all of them measure. */
  gather(): Promise<Measured[][]>;
  /** How this one measures itself. */
  onMeasure(measure: () => Promise<Measured[]>): void;
};

/** Null in a process that is alone. */
export function findSiblings(): Siblings | null {
  const own = cluster.worker;
  if (!own) return null;
  const asked = new Map<number, (metrics: Measured[][]) => void>();
  let measure: () => Promise<Measured[]> = async () => [];
  let lastId = 0;

  const tell = (note: NoteFromProcess) => new Promise<void>((resolve) => void own.send(note, () => resolve()));

  own.on('message', async (note: NoteToProcess) => {
    if (note.about === 'gathered') asked.get(note.id)?.(note.metrics);
    if (note.about === 'measure')
      await tell({ about: 'measured', id: note.id, metrics: await measure().catch(() => []) });
  });

  return {
    isFirst: own.id === 1,
    tell,
    async gather() {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<Measured[][]>((resolve) => asked.set(id, resolve));
      await tell({ about: 'gather', id });
      // Longer than the one that gathers waits for any of us.
      const late = pause(2 * measuredWithinMs, [], { ref: false });
      return Promise.race([answer, late]).finally(() => asked.delete(id));
    },
    onMeasure(how) {
      measure = how;
    },
  };
}
