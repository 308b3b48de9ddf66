import pg from 'pg';

/** A column of a statement's rows, and how the driver turns its text into a value. */
export type Column = { name: string; read(text: string): unknown };

/** Parts of the driver that its types leave out. */
type Wire = { parse(statement: { text: string }): void; describe(what: { type: 'S' }): void; sync(): void };
type Field = { name: string; dataTypeID: number };

/** Asks for the columns of a statement's rows without running it; null if it has no rows. */
export function describe(client: pg.ClientBase, text: string): Promise<Column[] | null> {
  return new Promise((resolve, reject) => {
    let columns: Column[] | null = null;
    const query = new pg.Query({ text }, (error?: Error) => (error ? reject(error) : resolve(columns)));
    Object.assign(query, {
      submit(wire: Wire) {
        wire.parse({ text });
        wire.describe({ type: 'S' });
        wire.sync();
      },
      handleRowDescription({ fields }: { fields: Field[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, read: pg.types.getTypeParser(dataTypeID, 'text') }));
      },
    });
    client.query(query);
  });
}
