// On the pages of the guides: copies of code and of the whole page, and one choice of language for all code.

import { copyOnPress } from '/page-parts.js';

const languageKey = 'assent-language';

keepLanguage();
for (const block of document.querySelectorAll('.block')) addCopyButton(block);
const copyPage = document.querySelector('[data-copy-markdown]');
if (copyPage instanceof HTMLAnchorElement) copyOnPress(copyPage, async () => (await fetch(copyPage.href)).text());

/** @param {Element} block */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  copyOnPress(button, async () => block.querySelector('code')?.textContent ?? '');
  block.append(button);
}

/** Whoever chooses Python once reads Python everywhere. */
function keepLanguage() {
  const choices = [...document.querySelectorAll('.group input')].filter((each) => each instanceof HTMLInputElement);
  /** @param {string | null} language */
  const choose = (language) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  };
  choose(localStorage.getItem(languageKey));
  for (const choice of choices)
    choice.addEventListener('change', () => {
      const top = choice.getBoundingClientRect().top;
      localStorage.setItem(languageKey, choice.value);
      choose(choice.value);
      // Blocks above may have other heights now. What was pressed stays where it is.
      window.scrollBy(0, choice.getBoundingClientRect().top - top);
    });
}
