// Draws the guides and builds the index of their search. In a thread of its own: it takes about a second, and the API must
// not wait for that.
import { parentPort, workerData } from 'node:worker_threads';
import MiniSearch from 'minisearch';
import { readGuides } from './guides.ts';

const options = { fields: ['title', 'text'], storeFields: ['title', 'page', 'start'] };
/** What a result shows of its text. */
const startLength = 140;

const { parts, ...drawn } = readGuides(workerData);
const index = new MiniSearch(options);
index.addAll(parts.map((part) => ({ ...part, start: part.text.trim().slice(0, startLength) })));
parentPort?.postMessage({ ...drawn, index: JSON.stringify({ options, index }) });
