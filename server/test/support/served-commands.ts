import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommand } from './commands.ts';

const client = fileURLToPath(new URL('command-client.ts', import.meta.url));

export type ServedCommands = {
  /** For a shell, instead of `npm run -s assent --`. */
  line: string;
  stop(): Promise<void>;
};

/** The operator's command for shells, run in the test's process: it is loaded once, which takes half a second of CPU time. */
export async function serveCommands(): Promise<ServedCommands> {
  const server = createServer(async (request, response) => {
    const { args, env, stdin } = (await json(request)) as {
      args: string[];
      env: Record<string, string>;
      stdin: string;
    };
    response.end(JSON.stringify(await runCommand(args, env, stdin)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    line: `${process.execPath} ${client} http://127.0.0.1:${port}`,
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
