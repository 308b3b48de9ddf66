import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** What happens to a commit on its way through the proxy. */
export type Fate =
  | 'pass'
  /** PostgreSQL commits, and the connection breaks before the answer arrives. */
  | 'lose the answer'
  /** The connection breaks before PostgreSQL sees the commit. */
  | 'lose the commit'
  /** PostgreSQL commits, the connection breaks, and new connections fail. */
  | 'cut the cable'
  /** PostgreSQL commits, the connection breaks, and new connections wait forever. */
  | 'hang'
  /** PostgreSQL commits, and the connection stays open but silent. */
  | 'fall silent';

export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /** What happens to the next commits. */
  fate: Fate;
  /** How often clients have written something. Statements that are sent together are one write. */
  writes: number;
  /** Breaks every connection. */
  drop(): void;
  /** No connection that is open now is heard again, as if its server had lost its power. */
  silence(): void;
  close(): Promise<void>;
};

const commitMessage = 'commit\0';
const commitAnswer = 'COMMIT\0';

/** Starts a proxy in front of PostgreSQL on its own port. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const silenced = new Set<Socket>();
  const upstream = addressOf(databaseUrl);
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => sockets.delete(near));
    if (proxy.fate === 'cut the cable') near.destroy();
    if (proxy.fate === 'cut the cable' || proxy.fate === 'hang') return;
    const far = connect(upstream);
    let lost: Fate = 'pass';
    const breakOff = () => {
      near.destroy();
      far.destroy();
    };
    near.on('data', (bytes) => {
      if (silenced.has(near)) return;
      proxy.writes += 1;
      if (bytes.includes(commitMessage)) {
        lost = proxy.fate;
        if (lost === 'lose the commit') return breakOff();
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (lost === 'pass') near.write(bytes);
      // The answers to statements that were sent with the commit come before its own.
      else if (lost !== 'fall silent' && bytes.includes(commitAnswer)) breakOff();
    });
    far.on('error', () => {});
    near.on('close', breakOff);
    far.on('close', breakOff);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const address = new URL(databaseUrl);
  address.searchParams.delete('host');
  address.host = `127.0.0.1:${port}`;
  const proxy: DatabaseProxy = {
    url: address.href,
    fate: 'pass',
    writes: 0,
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    silence() {
      for (const socket of sockets) silenced.add(socket);
    },
    async close() {
      proxy.drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function addressOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  return host.startsWith('/') ? { path: join(host, '.s.PGSQL.5432') } : { host, port: Number(port || 5432) };
}
