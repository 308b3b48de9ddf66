import { readFileSync } from 'node:fs';
import { asset } from '../browser/assets.ts';
import { html } from '../browser/page.ts';

const script = asset('search.js', readFileSync(new URL('browser/search.js', import.meta.url)));
/** Finds parts of the guides and operations of the reference, in the browser. */
const library = asset('minisearch.js', readFileSync(new URL(import.meta.resolve('minisearch'))));

/** At the end of the bar. Its script, search.js, shows it: without scripts there is no search. */
export const search = html`<button class="search-button" type="button" data-search data-library="${library.path}" hidden>Search <kbd>/</kbd></button>
<dialog class="search" data-search-dialog aria-label="Search">
<input type="search" data-search-input aria-label="Search guides and reference" placeholder="Search guides and reference" autocomplete="off" role="combobox" aria-expanded="true" aria-controls="found">
<ul id="found" role="listbox" aria-label="Results" data-search-results></ul>
<p class="facts" role="status" data-search-status></p>
</dialog>
<script src="${script.path}" type="module"></script>`;
export const searchAssets = [script, library];
