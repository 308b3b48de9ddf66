import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether we may connect to an address. */
export type Reachable = (address: string) => boolean;

/** IANA's registry of special-purpose addresses, including the few that are reachable: no web site is there. */
const specialNetworks4 = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
/** Outside of 2000::/3 only mapped IPv4 addresses are public, so only special networks within it are listed. */
const publicNetworks6 = '2000::/3 64:ff9b::/96';
const specialNetworks6 = '2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20';

const loopbackNetworks = ['127.0.0.0/8', '::1'];

type NetworkSettings = { environment: 'sandbox' | 'production'; outboundAllowedNetworks: readonly string[] };

/** Where a node may connect to, besides public addresses: from a sandbox, to this machine too. */
export function networksFor({ environment, outboundAllowedNetworks }: NetworkSettings): readonly string[] {
  return environment === 'sandbox' ? [...outboundAllowedNetworks, ...loopbackNetworks] : outboundAllowedNetworks;
}

/** Allows public addresses, and those in the operator's allowed networks. */
export function reachable(allowedNetworks: readonly string[]): Reachable {
  const allowed = listOf(allowedNetworks);
  return (address) => {
    if (isIP(address) === 0) return false;
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    return allowed.check(address, family) || (publicly.check(address, family) && !special.check(address, family));
  };
}

const publicly = listOf(['0.0.0.0/0', ...publicNetworks6.split(' ')]);
const special = listOf([...specialNetworks4.trim().split(/\s+/), ...specialNetworks6.split(' ')]);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (isIPv6(address)) list.addSubnet(address, Number(prefix ?? 128), 'ipv6');
    else addNetwork4(list, address, Number(prefix ?? 32));
  }
  return list;
}

/** Adds an IPv4 network with its IPv6 forms: mapped (which BlockList handles), NAT64 and 6to4. */
function addNetwork4(list: BlockList, address: string, prefix: number): void {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hextets = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  list.addSubnet(address, prefix, 'ipv4');
  list.addSubnet(`64:ff9b::${hextets}`, 96 + prefix, 'ipv6');
  list.addSubnet(`2002:${hextets}::`, 16 + prefix, 'ipv6');
}
