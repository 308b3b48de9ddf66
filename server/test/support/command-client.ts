// What a shell calls instead of the command: `node command-client.ts ADDRESS WORD…`. served-commands.ts answers.
import { readFileSync } from 'node:fs';

const [address = '', ...args] = process.argv.slice(2);
const body = JSON.stringify({ args, env: process.env, stdin: readFileSync(0, 'utf8') });
const answer = await fetch(address, { method: 'POST', body });
const { status, stdout, stderr } = (await answer.json()) as { status: number; stdout: string; stderr: string };
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
