import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';
import { addGauge } from './request-metrics.ts';

/** The archive on this node: what is wrong with it, and how far it is signed and copied. */
export function addArchiveMetrics(registry: Registry, deps: Deps): void {
  // The gauges of one scrape share one question.
  let asked: ReturnType<typeof archiveHealth> | null = null;
  const health = async () => {
    asked ??= archiveHealth(deps).finally(() => {
      asked = null;
    });
    return asked.catch(() => null);
  };
  addGauge(
    registry,
    'assent_archive_signed_entries',
    'Entries of the archive that a checkpoint covers.',
    async () => (await health())?.signed,
  );
  addGauge(
    registry,
    'assent_archive_outside_entries',
    'Entries that the copies outside the database cover; NaN if this node makes none.',
    async () => (await health())?.copied,
  );
  addGauge(
    registry,
    'assent_archive_remembered_since_entries',
    'The size of the tree when this node began to remember what was signed: 0 if from the beginning, NaN if never.',
    async () => (await health())?.rememberedSince,
  );
  new Gauge({
    name: 'assent_archive_fault',
    help: '1 while something is wrong with signing the archive, with its copies outside, with this node’s memory of it, or the database is from before what was signed.',
    labelNames: ['about'],
    registers: [registry],
    async collect() {
      const { faults = {} } = (await health()) ?? {};
      for (const [about, fault] of Object.entries(faults)) this.set({ about }, fault ? 1 : 0);
    },
  });
}
