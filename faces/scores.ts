import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const runsMax = 5;
const scoreMin = 95;
// A page that listens for events is never without a request, for which Lighthouse waits 45 seconds.
const loadMsMax = 5_000;
const categories = ['performance', 'accessibility', 'best-practices'];

/** Pages as a phone sees them, and pages of somebody who is signed in, at a desk. */
export type ScoredPages = {
  origin: string;
  debugging: number;
  judged: { phone: string[]; desk: string[] };
  cookie: string;
};

type Flags = {
  port: number;
  onlyCategories: string[];
  maxWaitForLoad: number;
  logLevel: 'error';
  extraHeaders?: Record<string, string>;
  disableStorageReset?: boolean;
};
type Lighthouse = (
  url: string,
  flags: Flags,
  config?: object,
) => Promise<{ lhr: { categories: Record<string, { score: number | null }> } } | undefined>;

/** Lighthouse once, or where that finds something the median of several runs: a score varies with what else the machine does. */
export async function judge({ origin, debugging, judged, cookie }: ScoredPages, complaints: string[]): Promise<void> {
  if (!existsSync(`${folder}node_modules/lighthouse`))
    spawnSync('npm', ['ci', '--silent', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 2, 2] });
  // It isn't among the packages of `npm start`, so its types may not be there.
  const core = `${folder}node_modules/lighthouse/core/`;
  const { default: lighthouse }: { default: Lighthouse } = await import(`${core}index.js`);
  const { default: atDesk }: { default: object } = await import(`${core}config/desktop-config.js`);
  const flags: Flags = { port: debugging, onlyCategories: categories, maxWaitForLoad: loadMsMax, logLevel: 'error' };
  for (const path of judged.phone) await score(path, () => lighthouse(`${origin}${path}`, flags));
  const signedIn: Flags = { ...flags, extraHeaders: { cookie }, disableStorageReset: true };
  for (const path of judged.desk) await score(path, () => lighthouse(`${origin}${path}`, signedIn, atDesk));

  async function score(path: string, run: () => ReturnType<Lighthouse>): Promise<void> {
    const scores: Record<string, number[]> = {};
    for (let count = 0; count < runsMax; count++) {
      const result = await run();
      const scoreOf = (category: string) => Math.round((result?.lhr.categories[category]?.score ?? 0) * 100);
      for (const category of categories) scores[category] = [...(scores[category] ?? []), scoreOf(category)];
      if (count === 0 && categories.every((category) => scoreOf(category) >= scoreMin)) break;
    }
    const medians = categories.map((category) => [category, median(scores[category] ?? [])] as const);
    process.stdout.write(`${path}: ${medians.map(([category, value]) => `${category} ${value}`).join(', ')}\n`);
    // A busy machine is slow, and no fault of the page: that is only said.
    for (const [category, value] of medians) {
      const low = `${path}: ${category} is ${value}, of ${scores[category]}`;
      if (value >= scoreMin) continue;
      if (category === 'performance') process.stdout.write(`${low}\n`);
      else complaints.push(low);
    }
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
