import { get } from '../api/http.ts';
import { client } from './client.ts';

/** A list as the console's API answers it. */
export function listQuery<Row>(path: string) {
  return { queryKey: [path], queryFn: () => get<{ data: Row[] }>(path), select: ({ data }: { data: Row[] }) => data };
}

/** After a change: what is shown of these is read again. */
export function refresh(...paths: string[]): Promise<unknown> {
  return Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] })));
}
