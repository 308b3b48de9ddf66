import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';

/**
 * The archive on this node: what is wrong with it, and how far it is signed and copied. Of several processes on one port, the
 * first is the one that signs.
 */
export function addArchiveMetrics(registry: Registry, deps: Deps): void {
  const registers = [registry];
  const signed = new Gauge({
    name: 'assent_archive_signed_entries',
    help: 'Entries of the archive that a checkpoint covers.',
    aggregator: 'first',
    registers,
  });
  const outside = new Gauge({
    name: 'assent_archive_outside_entries',
    help: 'Entries that the copies outside the database cover; NaN if this node makes none.',
    aggregator: 'first',
    registers,
  });
  const since = new Gauge({
    name: 'assent_archive_remembered_since_entries',
    help: 'The size of the tree when this node began to remember what was signed: 0 if from the beginning, NaN if never.',
    aggregator: 'first',
    registers,
  });
  new Gauge({
    name: 'assent_archive_fault',
    help: '1 while something is wrong with signing the archive, with its copies outside, with this node’s memory of it, or the database is from before what was signed.',
    labelNames: ['about'],
    aggregator: 'max',
    registers,
    async collect() {
      const health = await archiveHealth(deps).catch(() => null);
      for (const [about, fault] of Object.entries(health?.faults ?? {})) this.set({ about }, fault ? 1 : 0);
      signed.set(health?.signed ?? Number.NaN);
      outside.set(health?.copied ?? Number.NaN);
      since.set(health?.rememberedSince ?? Number.NaN);
    },
  });
}
