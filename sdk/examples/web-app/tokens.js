// Keeps the tokens of the advisor who connected. This application has one, so a file will do; yours has a row for each advisor.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const file = 'tokens.json';

/** @type {import('@assent/client').oauth.TokenStore & { forget(): void }} */
export const tokenStore = {
  get() {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      return null;
    }
  },
  set(tokens) {
    // Renamed into place, so that a crash can't leave half a file: without its refresh token, the advisor has to connect again.
    writeFileSync(`${file}.new`, JSON.stringify(tokens), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  },
  forget: () => rmSync(file, { force: true }),
};
