import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** For each of two tries. */
const limits = { timeout: 1_500, tries: 2 };

/**
 * The addresses of a name that somebody else wrote down. The system looks up two names at a time, and waits half a minute for a
 * name server that doesn't answer: two such names would hold up every other lookup, that of the database too. So it is only asked
 * about names without a dot, which nobody outside can own.
 */
export async function addressesOf(hostname: string): Promise<LookupAddress[]> {
  if (!hostname.includes('.')) return lookup(hostname, { all: true });
  const own = await ownAddressesOf(hostname);
  if (own.length > 0) return own;
  const resolver = new Resolver(limits);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [...known(v4, 4), ...known(v6, 6)];
  if (found.length > 0) return found;
  const cause = v4.status === 'rejected' ? v4.reason : undefined;
  throw Object.assign(new Error('The name doesn’t resolve.', { cause }), { code: 'ENOTFOUND' });
}

function known(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** The system's own table, which the resolver doesn't read. */
async function ownAddressesOf(hostname: string): Promise<LookupAddress[]> {
  const table = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(hostname.toLowerCase()) && isIP(address) ? [{ address, family: isIP(address) }] : [];
  });
}
