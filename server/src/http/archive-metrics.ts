import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';

/** The archive on this node: what is wrong with it, and how far it is signed and copied. */
export function addArchiveMetrics(registry: Registry, deps: Deps): void {
  const registers = [registry];
  // The gauges of one scrape share one question.
  let asked: ReturnType<typeof archiveHealth> | null = null;
  const health = async () => {
    asked ??= archiveHealth(deps).finally(() => {
      asked = null;
    });
    return asked.catch(() => null);
  };
  new Gauge({
    name: 'assent_archive_signed_entries',
    help: 'Entries of the archive that a checkpoint covers.',
    registers,
    async collect() {
      this.set((await health())?.signed ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'assent_archive_outside_entries',
    help: 'Entries that the copies outside the database cover; NaN if this node makes none.',
    registers,
    async collect() {
      this.set((await health())?.copied ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'assent_archive_remembered_since_entries',
    help: 'The size of the tree when this node began to remember what was signed: 0 if from the beginning, NaN if never.',
    registers,
    async collect() {
      this.set((await health())?.rememberedSince ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'assent_archive_fault',
    help: '1 while something is wrong with signing the archive, with its copies outside, with this node’s memory of it, or the database is from before what was signed.',
    labelNames: ['about'],
    registers,
    async collect() {
      const { faults = {} } = (await health()) ?? {};
      for (const [about, fault] of Object.entries(faults)) this.set({ about }, fault ? 1 : 0);
    },
  });
}
