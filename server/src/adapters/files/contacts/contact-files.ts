import type { ContactFiles } from '../../../domain/ports.ts';

/** The parsers are loaded on demand, so that a command starts faster. */
const files = () => import('./csv-files.ts');

export const contactFiles: ContactFiles = {
  async *read(file, phone) {
    yield* (await files()).read(file, phone);
  },
  columns: async (file) => (await files()).columns(file),
  async *writeRefused(file, phone) {
    yield* (await files()).writeRefused(file, phone);
  },
  async *write(contacts) {
    yield* (await files()).write(contacts);
  },
};
