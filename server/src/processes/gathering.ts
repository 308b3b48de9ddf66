import type { Worker } from 'node:cluster';
import { type Measured, measuredWithinMs, type NoteFromProcess } from './notes.ts';

/** Asks every process for what it measures, and gives the one that asked all of it. */
export function makeGathering(list: () => Worker[], own: () => Measured[]) {
  const rounds = new Map<number, { answers: Map<Worker, Measured[]>; wanted: Set<Worker>; end(): void }>();
  let lastId = 0;

  function gather(asker: Worker, askersId: number): void {
    lastId += 1;
    const id = lastId;
    const running = list();
    const answers = new Map<Worker, Measured[]>();
    const timer = setTimeout(end, measuredWithinMs);
    rounds.set(id, { answers, wanted: new Set(running), end });
    for (const one of running) one.send({ about: 'measure', id });

    function end(): void {
      clearTimeout(timer);
      rounds.delete(id);
      const metrics = running.flatMap((one) => [answers.get(one) ?? []]);
      if (asker.isConnected()) asker.send({ about: 'gathered', id: askersId, metrics: [...metrics, own()] });
    }
  }

  function take(one: Worker, id: number, metrics: Measured[]): void {
    const round = rounds.get(id);
    round?.answers.set(one, metrics);
    drop(one, id);
  }

  function drop(one: Worker, id: number): void {
    const round = rounds.get(id);
    round?.wanted.delete(one);
    if (round?.wanted.size === 0) round.end();
  }

  return {
    hear(one: Worker, note: NoteFromProcess): void {
      if (note.about === 'gather') gather(one, note.id);
      if (note.about === 'measured') take(one, note.id, note.metrics);
    },
    /** It will not answer. */
    forget(one: Worker): void {
      for (const id of [...rounds.keys()]) drop(one, id);
    },
  };
}
