import { existsSync } from 'node:fs';
import { joinNodes } from './clones.ts';
import { postgresUser } from './debian-postgres.ts';
import { makeServer } from './replicated-postgres.ts';

/** A coordinator of Citus and two workers, each a PostgreSQL of its own. */
export type Citus = {
  /** Where the owner connects to a database of the coordinator. Those that are made there are made on all nodes. */
  url(database: string): string;
  /** The first process of each PostgreSQL. */
  postmasters(): number[];
  stop(): Promise<void>;
};

const library = '/usr/lib/postgresql/15/lib/citus.so';
export const skip = existsSync(library) ? false : `there is no ${library}`;

/** Enough to have some on each worker: every table has so many parts, which takes time. */
const shards = 4;

/** Debian's PostgreSQL 15, into which Citus was installed. */
export async function startCitus(settings: Record<string, string> = {}): Promise<Citus> {
  const all = {
    shared_preload_libraries: 'citus',
    max_connections: '300',
    max_prepared_transactions: '300',
    // To move shards while they are written to.
    wal_level: 'logical',
    jit: 'off',
    'citus.shard_count': String(shards),
    'citus.node_conninfo': 'sslmode=disable',
    ...settings,
  };
  const user = postgresUser();
  const servers = [await makeServer(user, all), await makeServer(user, all), await makeServer(user, all)];
  await Promise.all(
    servers.map(async (server) => {
      server.initialize();
      await server.start();
    }),
  );
  const url = (port: number | undefined, database: string) => `postgres://assent@127.0.0.1:${port}/${database}`;
  await joinNodes(servers.map(({ port }) => url(port, 'postgres')));
  return {
    url: (database) => url(servers[0]?.port, database),
    postmasters: () => servers.map(({ pid }) => pid()),
    async stop() {
      for (const server of servers) {
        await server.end();
        server.remove();
      }
    },
  };
}
