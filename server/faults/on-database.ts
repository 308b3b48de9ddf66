import pg from 'pg';

/** A statement on a connection of its own. */
export async function onDatabase(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  return owner
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => owner.end());
}
