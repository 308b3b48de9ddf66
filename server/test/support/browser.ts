import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

export const skip = existsSync(executablePath) ? false : `there is no ${executablePath}`;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}
