import pg from 'pg';
import { addressOf, type DatabaseAddress } from './tls.ts';
import { urlsOf } from './urls.ts';

/** One of the servers that DATABASE_URL names. */
export type Host = { address: DatabaseAddress };

/** The servers that DATABASE_URL names, of which one takes writes: a primary and its standbys. */
export type Hosts = ReturnType<typeof hostsAt>;

/** The server only takes reads: it is a standby, or it was told to refuse writes. */
export class ReadOnlyHost extends Error {}

/** A host that doesn't answer must not keep us from the next one. */
const connectMs = 5_000;
const known = new Map<string, Hosts>();

/** All pools of a process share what they find out. */
export function hostsOf(url: string): Hosts {
  return known.getOrInsertComputed(url, hostsAt);
}

function hostsAt(url: string) {
  const hosts = urlsOf(url).map((each) => ({ address: addressOf(each) }));
  let index = 0;
  return {
    count: hosts.length,
    /** When a server last let a statement wait beyond its timeout. */
    silentAtMs: 0,
    /** The one that the next connection goes to. */
    current: () => hosts[index] as Host,
    /** Nobody can write there, so the next connection goes to the one after it. */
    leave(host: Host) {
      // Others may have left it already.
      if (hosts[index] === host) index = (index + 1) % hosts.length;
    },
  };
}

/** A connection of its own to the server that takes writes. */
export async function connectOnce(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const hosts = hostsOf(url);
  for (let tried = 1; ; tried++) {
    const host = hosts.current();
    const inTime = hosts.count > 1 ? { connectionTimeoutMillis: connectMs } : {};
    const client = new pg.Client({ ...config, ...inTime, ...host.address });
    try {
      await client.connect();
      if (hosts.count > 1) await refuseReadOnly(client);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      hosts.leave(host);
      if (tried >= hosts.count) throw error;
    }
  }
}

async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') throw new ReadOnlyHost('The server only takes reads.');
}
