/**
 * A URL for each server that the URL names, as psql understands it: `//one:5432,two:5432/…`, or `?host=one,two&port=5432,5433`.
 * The driver takes one.
 */
export function urlsOf(url: string): string[] {
  const [, scheme = '', login = '', places = '', rest = ''] = /^([^:]*:\/\/)([^@/?]*@)?([^/?]*)(.*)$/.exec(url) ?? [];
  const [path = '', ...queries] = rest.split('?');
  const query = new URLSearchParams(queries.join('?'));
  const inQuery = { host: query.get('host')?.split(','), port: query.get('port')?.split(',') };
  const count = Math.max(places.split(',').length, inQuery.host?.length ?? 0);
  if (count === 1 && !query.has('target_session_attrs')) return [url];
  query.delete('target_session_attrs');
  return Array.from({ length: count }, (_, index) => {
    for (const [name, values] of Object.entries(inQuery)) if (values) query.set(name, at(values, index));
    return `${scheme}${login}${at(places.split(','), index)}${path}${query.size > 0 ? `?${query}` : ''}`;
  });
}

/** A single one is for all. */
function at(values: string[], index: number): string {
  return (values.length === 1 ? values[0] : values[index]) ?? '';
}
