import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxFile } from './sandbox.ts';

export function sandboxFilePath(dataDir: string): string {
  return join(dataDir, 'sandbox.json');
}

export function readSandboxFile(dataDir: string): SandboxFile | null {
  try {
    return JSON.parse(readFileSync(sandboxFilePath(dataDir), 'utf8'));
  } catch {
    return null;
  }
}
