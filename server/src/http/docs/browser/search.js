// Searches the guides and the reference. Its library and index are loaded when somebody opens it.

import { find } from '/page-parts.js';

/** @typedef {{ id: string, title: string, page: string, start: string }} Found */
/** @typedef {(query: string) => Found[]} Search */

const resultsMax = 12;

const button = find('[data-search]', HTMLButtonElement);
const dialog = find('[data-search-dialog]', HTMLDialogElement);
const input = find('[data-search-input]', HTMLInputElement);
const list = find('[data-search-results]', HTMLUListElement);
const status = find('[data-search-status]', HTMLElement);
/** @type {Promise<Search> | undefined} */
let loading;

button.hidden = false;
button.addEventListener('click', open);
input.addEventListener('input', show);
input.addEventListener('keydown', choose);
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input, textarea, select');
  const asks = (event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !typing);
  if (!asks) return;
  event.preventDefault();
  open();
});

function open() {
  if (dialog.open) return;
  loading ??= loadSearch(button.dataset.library ?? '');
  dialog.showModal();
  input.select();
}

async function show() {
  const asked = input.value.trim();
  const found = loading && asked !== '' ? (await loading)(asked).slice(0, resultsMax) : [];
  // Typed on meanwhile.
  if (asked !== input.value.trim()) return;
  list.replaceChildren(...found.map(resultOf));
  status.textContent = asked !== '' && found.length === 0 ? 'Nothing found.' : '';
  mark(0);
}

/**
 * @param {string} library
 * @returns {Promise<Search>}
 */
async function loadSearch(library) {
  const [{ default: MiniSearch }, { options, index }, operations] = await Promise.all([
    import(library),
    fetch('/docs/search.json').then((answer) => answer.json()),
    listOperations(),
  ]);
  const search = MiniSearch.loadJS(index, options);
  search.addAll(operations);
  return (query) => search.search(query, { prefix: true, fuzzy: 0.2, boost: { title: 4 }, combineWith: 'AND' });
}

/** By their names, as the reference has them. */
async function listOperations() {
  const { paths } = await fetch('/openapi.json').then((answer) => answer.json());
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([
        method,
        {
          summary,
          description = '',
          tags: [tag],
        },
      ]) => ({
        id: `/docs/reference#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`,
        title: summary,
        page: 'Reference',
        start: `${method.toUpperCase()} ${path}`,
        text: `${method} ${path} ${description}`,
      }),
    ),
  );
}

/**
 * @param {Found} found
 * @param {number} index
 */
function resultOf({ id, title, page, start }, index) {
  const item = document.createElement('li');
  item.id = `found-${index}`;
  item.role = 'option';
  const link = document.createElement('a');
  link.href = id;
  link.tabIndex = -1;
  const parts = [
    ['b', title],
    ['span', page === title ? '' : page],
    ['small', start],
  ].map(([tag = '', text = '']) => {
    const part = document.createElement(tag);
    part.textContent = text;
    return part;
  });
  link.append(...parts);
  link.addEventListener('click', () => dialog.close());
  item.append(link);
  return item;
}

/** @param {number} index */
function mark(index) {
  const items = [...list.children];
  const marked = items.at(Math.min(index, items.length - 1));
  for (const item of items) item.ariaSelected = String(item === marked);
  input.setAttribute('aria-activedescendant', marked?.id ?? '');
  marked?.scrollIntoView({ block: 'nearest' });
}

/** @param {KeyboardEvent} event */
function choose(event) {
  const items = [...list.children];
  const index = items.findIndex((item) => item.ariaSelected === 'true');
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Enter') items[index]?.querySelector('a')?.click();
  if (step === undefined) return;
  event.preventDefault();
  mark(Math.max(0, index + step));
}
