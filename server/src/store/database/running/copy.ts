import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';

type CopyConnection = { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void; sendCopyFail(why: string): void };

/** A statement of the driver, with what its types leave out. */
type CopyQuery = pg.Query & {
  callback(error: Error | null | undefined): void;
  handleCopyInResponse(connection: CopyConnection): void;
};

/** About three milliseconds of work, which is as long as the answers to other connections wait. */
const rowsPerTurn = 250;

/**
 * Runs a `copy … from stdin` with these rows of `copyRow`. They are made while PostgreSQL already writes those before them, and
 * other connections get their turn in between.
 */
export function copyIn(client: pg.PoolClient, text: string, rows: Iterable<string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text) as unknown as CopyQuery;
    let isOver = false;
    let failure: unknown;
    query.callback = (error) => {
      isOver = true;
      if (error) reject(failure ?? error);
      else resolve();
    };

    async function send(connection: CopyConnection): Promise<void> {
      for (const part of partsOf(rows)) {
        connection.sendCopyFromChunk(Buffer.from(part));
        await nextTurn();
        if (isOver) return;
      }
      connection.endCopyFrom();
    }

    query.handleCopyInResponse = (connection) => {
      send(connection).catch((error) => {
        failure = error;
        connection.sendCopyFail('A row could not be made.');
      });
    };
    client.query(query);
  });
}

function* partsOf(rows: Iterable<string>): Generator<string> {
  let part = '';
  let count = 0;
  for (const row of rows) {
    part += row;
    count += 1;
    if (count % rowsPerTurn !== 0) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
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
