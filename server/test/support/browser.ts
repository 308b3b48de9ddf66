import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** In the order of preference: Chromium without a window takes half the CPU time of the whole one. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

const executablePath = findBrowser(process.env);
/** For what a page does in a moment. It only tells late from never: a busy machine may take many times as long. */
export const stepMsMax = 60_000;
export const skip = executablePath ? false : 'there is no Chromium or Chrome: set CHROME_PATH';

/** Any Chromium or Chrome of the machine: CHROME_PATH, or one on the PATH. */
export function findBrowser({ CHROME_PATH, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (CHROME_PATH) return CHROME_PATH;
  const folders = PATH.split(delimiter);
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

let launched: Promise<Browser> | undefined;
let isKept = false;

/** The browser of this process. To start one takes as much CPU time as a story takes to tell. */
export function launchBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath, args });
  return launched;
}

/** For files that share a process: closing the browser closes its windows only, until the function that it returns is called. */
export function keepBrowser(): () => Promise<void> {
  isKept = true;
  return () => {
    isKept = false;
    return closeBrowser();
  };
}

/** A file is done with it. */
export async function closeBrowser(): Promise<void> {
  const browser = await launched;
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
  if (isKept) return;
  launched = undefined;
  await browser?.close();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
