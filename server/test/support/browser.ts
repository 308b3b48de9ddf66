import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium without a window takes half the CPU time of the whole one. */
const executablePath = '/usr/bin/chromium-headless-shell';
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

export const skip = existsSync(executablePath) ? false : `there is no ${executablePath}`;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}
