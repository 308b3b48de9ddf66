// On the pages of the guides: copies of code and of the whole page, and one choice of language for all code.

const shownMs = 2000;
const languageKey = 'assent-language';

keepLanguage();
for (const block of document.querySelectorAll('.block')) addCopyButton(block);
const copyPage = document.querySelector('[data-copy-markdown]');
if (copyPage instanceof HTMLAnchorElement)
  copyPage.addEventListener('click', (event) => {
    event.preventDefault();
    copy(copyPage, async () => (await fetch(copyPage.href)).text());
  });

/** @param {Element} block */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(button, async () => block.querySelector('code')?.textContent ?? ''));
  block.append(button);
}

/**
 * The clipboard gets the promise: a browser allows no copy some time after the click.
 * @param {HTMLElement} button
 * @param {() => Promise<string>} write
 */
async function copy(button, write) {
  const label = button.textContent;
  const text = write().then((text) => new Blob([text], { type: 'text/plain' }));
  button.textContent = await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).then(
    () => 'Copied',
    () => 'Not copied',
  );
  setTimeout(() => {
    button.textContent = label;
  }, shownMs);
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
