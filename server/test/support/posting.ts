import assert from 'node:assert/strict';
import { runCommand } from './commands.ts';
import { credentials } from './nodes.ts';
import type { Deployment, Program } from './programs.ts';
import { openWire, type Wire } from './sockets.ts';

const contacts = '/v1/core/contact/contacts';

/** Clients that add contacts on connections of their own, and what they have stored. */
export type Posting = {
  request(lastName: string): string;
  /** Sends requests on one connection until the server asks to close it; a request that fails fails the test. */
  keepPosting(name: string): Promise<number>;
  /** Sends part of a request now, and the rest when it is called. */
  half(wire: Wire, cut: (text: string) => number): Promise<() => Promise<void>>;
  canConnect(): Promise<boolean>;
  rows(): Promise<number>;
};

export async function postingTo(program: Program, { folder, database, env }: Deployment): Promise<Posting> {
  const { apiKey } = folder.sandbox();
  await database.asOwner('update api_keys set rate_per_second = null, burst = null');
  const { stdout } = await runCommand(['token', '--advisor', 'devon@sandbox.example'], env);
  const both = Object.entries(credentials(stdout.trim(), apiKey));
  const headers = both.map(([name, value]) => `${name}: ${value}\r\n`).join('');

  const request = (lastName: string): string => {
    const body = JSON.stringify({ firstName: 'Load', lastName });
    const own = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    return `POST ${contacts} HTTP/1.1\r\nhost: localhost\r\n${headers}${own}\r\n${body}`;
  };

  return {
    request,
    async keepPosting(name) {
      const wire = await openWire(program.port);
      for (let posted = 1; ; posted++) {
        wire.write(request(`${name}x${posted}`));
        const answer = await wire.answer();
        assert.equal(answer.status, 200);
        if (answer.headers.connection !== 'close') continue;
        assert.equal(await wire.rest(), '');
        return posted;
      }
    },
    async half(wire, cut) {
      const text = request('Half');
      wire.write(text.slice(0, cut(text)));
      return async () => {
        wire.write(text.slice(cut(text)));
        const answer = await wire.answer();
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal(answer.headers.connection, 'close');
      };
    },
    async canConnect() {
      return openWire(program.port).then(
        (wire) => {
          wire.destroy();
          return true;
        },
        () => false,
      );
    },
    async rows() {
      const [row] = await database.asOwner<{ count: number }>(
        `select count(*)::integer as count from contacts where first_name = 'Load'`,
      );
      return row?.count ?? 0;
    },
  };
}
