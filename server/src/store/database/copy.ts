import pg from 'pg';

/** A statement of the driver, with what its types leave out. */
type CopyQuery = pg.Query & {
  callback(error: Error | null | undefined): void;
  handleCopyInResponse(connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }): void;
};

/** Runs a `copy … from stdin` with these rows, in PostgreSQL's text format. */
export function copyIn(client: pg.PoolClient, text: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text) as unknown as CopyQuery;
    query.callback = (error) => (error ? reject(error) : resolve());
    query.handleCopyInResponse = (connection) => {
      connection.sendCopyFromChunk(Buffer.from(rows));
      connection.endCopyFrom();
    };
    client.query(query);
  });
}

/** A row of values in the text format. */
export function copyRow(values: (string | number | boolean | null | undefined)[]): string {
  let row = '';
  for (let at = 0; at < values.length; at++) row += at === 0 ? cell(values[at]) : `\t${cell(values[at])}`;
  return `${row}\n`;
}

function cell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, escaped) : value;
}

function escaped(character: string): string {
  return { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }[character] ?? character;
}
