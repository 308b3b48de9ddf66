import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { type StandIn, startStandIn, type VendorName } from '../carriers/http/stand-in.ts';
import { telnyxSettings, twilioSettings } from '../carriers/http/vendors.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { type ServedCommands, serveCommands } from '../support/served-commands.ts';
import { until } from '../support/waiting.ts';

/** The commands in a section of a page for operators. */
function commandsIn(page: string, heading: string): string[] {
  const text = readFileSync(join(root, 'docs/operators', page), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)^## `, 'ms').exec(text) ?? [];
  return [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = '']) => commands);
}

const firstSteps = commandsIn('running.md', 'First steps in production');
const blocks = commandsIn('carriers-http.md', 'From nothing to a received text');
const skip = existsSync('/usr/bin/curl') ? false : 'there is no /usr/bin/curl';
const person = '+12125550123';
const ours = '+12125550100';

for (const [vendor, at] of [
  ['twilio', 0],
  ['telnyx', 1],
] as const)
  suite(`from nothing to a received text by ${vendor}, pasted from the page for operators`, { skip }, () => {
    let deployment: Deployment;
    let program: Program;
    let standIn: StandIn;
    let commands: ServedCommands;
    before(async () => {
      commands = await serveCommands();
      standIn = await startStandIn();
      deployment = await makeDeployment();
      program = await startServer(deployment.env);
    });
    after(async () => {
      if (!program.hasEnded()) await program.stop('SIGTERM');
      await standIn.stop();
      await commands.stop();
      await deployment.remove();
    });

    /**
     * The reader’s own values: a server on another port, and what the vendor’s console shows. Commands run in this process; the
     * first steps are pasted with npm.
     */
    function own(script: string): string {
      const settings = vendor === 'twilio' ? twilioSettings(standIn) : telnyxSettings(standIn);
      return script
        .replace('npm run -s assent --', commands.line)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${program.port}`)
        .replace(/^\{.*\}$/m, (json) => JSON.stringify({ ...JSON.parse(json), ...settings }));
    }

    async function pasted(script: string): Promise<string> {
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, ...deployment.env };
      const child = spawn('bash', ['-e', '-c', own(script)], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let [stdout, stderr] = ['', ''];
      child.stdout?.on('data', (text) => {
        stdout += text;
      });
      child.stderr?.on('data', (text) => {
        stderr += text;
      });
      const status = await new Promise((resolve) => child.once('close', resolve));
      assert.equal(status, 0, `${script}\n${stdout}\n${stderr}`);
      return stdout;
    }

    test('every command works, and the person’s phone gets the text', async () => {
      assert.deepEqual([firstSteps.length, blocks.length], [7, 3]);
      const [accounts = '', , text = ''] = firstSteps.slice(3);
      const command = 'assent() { npm run -s assent -- "$@"; }\n';
      const stdout = await pasted(command + accounts + blocks[at] + blocks[2] + text);
      assert.match(stdout, /^\+12125550100 .* main .*none$/m, 'the check of the number');
      const [answer = ''] = /^\{.*\}$/m.exec(stdout) ?? [];
      assert.equal(JSON.parse(answer).successes[0].status, 'awaiting_consent');
      await until('the person is asked', async () => (await standIn.taken(person)).length === 1);
      const url = `http://localhost:${program.port}/carriers/main/calls`;
      await standIn.deliver(vendor as VendorName, {
        url,
        from: person,
        to: ours,
        text: 'ACCEPT',
        id: `SM${'1'.repeat(32)}`,
      });
      const received = async () => (await standIn.taken(person)).map((each) => each.text);
      await until('the text is there', async () => (await received()).includes('Hello from Ann'));
      const hello = (await standIn.taken(person)).find((each) => each.text === 'Hello from Ann');
      assert.equal(hello?.from, ours);
      await standIn.tell(hello?.id ?? '', { status: 'delivered' });
      const delivered = async () =>
        (await deployment.database.asOwner(`select from messages where status = 'delivered'`)).length > 0;
      await until('its receipt counts', delivered);
    });
  });
