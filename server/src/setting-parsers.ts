import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** How the text of a setting becomes its value. Each throws what the value must be: "a whole number from 1 to 65535". */

export function text(value: string): string {
  return value;
}

export function integer(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`a whole number from ${least} to ${most}`);
    return number;
  };
}

export function oneOf<Value extends string>(...values: Value[]) {
  return (value: string): Value => {
    const found = values.find((each) => each === value);
    if (!found) throw new Error(`one of ${values.join(', ')}`);
    return found;
  };
}

export function origin(value: string): string {
  if (value === '') return '';
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error('an http or https URL without a path');
  return url.origin;
}

/** A path, relative to `folder` unless it is absolute. */
export function pathFrom(folder: string) {
  return (value: string): string => (value === '' ? '' : resolve(folder, value));
}

/** Paths separated by commas. */
export function pathsFrom(folder: string) {
  return (value: string): string[] => {
    const paths = value.split(',').map((path) => path.trim());
    return paths.filter(Boolean).map(pathFrom(folder));
  };
}

export function archiveName(value: string): string {
  if (/[\s+]/.test(value)) throw new Error('a name without spaces or plus signs');
  return value;
}

export function addressesAndNetworks(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    if (!isIP(entry) && !isNetwork(entry))
      throw new Error('IP addresses and networks separated by commas, such as 10.0.0.0/8');
    return entry;
  });
}

/** Not /0: a list is pointless for trusting every address. */
function isNetwork(entry: string): boolean {
  const [, address = '', prefix = ''] = /^([^/]+)\/([1-9]\d{0,2})$/.exec(entry) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128);
}

export function sealingKeys(value: string): Buffer[] {
  const texts = value.split(',').map((text) => text.trim());
  return texts.filter(Boolean).map((text) => {
    const key = Buffer.from(text, 'base64');
    if (key.byteLength !== 32 || key.toString('base64') !== text) throw new Error('32 bytes in base64');
    return key;
  });
}

/** As psql takes them: in the place of the host, after a login that may have commas too, or in the query. */
const severalHosts = /^[^:]*:\/\/([^@/?]*@)?[^@/?]*,[^@/?]*([/?]|$)|[?&]host=[^&]*,/;

export function postgresUrl(value: string): string {
  if (value !== '' && !/^postgres(ql)?:\/\//.test(value)) throw new Error('a postgres:// URL');
  if (severalHosts.test(value)) throw new Error('a postgres:// URL with one address');
  return value;
}

export function redisUrl(value: string): string {
  if (value !== '' && (!/^rediss?:\/\//.test(value) || !URL.parse(value)?.hostname))
    throw new Error('a redis:// or rediss:// URL');
  return value;
}
