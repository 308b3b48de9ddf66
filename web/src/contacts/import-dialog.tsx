import { useEffect, useRef, useState } from 'react';
import { post, remove } from '../api/http.ts';
import { client, importQuery } from '../api/queries.ts';
import type { ImportPreview } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Wrong } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Chip, Fact } from '../look/parts.tsx';
import { fieldWords, resultWords, sentence } from '../words/imports.ts';
import { count, phoneWords } from '../words/people.ts';

/** A file, what it would change, and the button that does it. */
export default function ImportDialog({ dropped, close }: { dropped: File | null; close(): void }) {
  const [preview, setPreview] = useState<ImportPreview | null>(null);
  const [isReading, setReading] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);

  const read = async (file: File) => {
    setReading(true);
    setWrong(null);
    try {
      setPreview(await post<ImportPreview>('/imports', { file, body: undefined }));
    } catch (error) {
      setWrong((error as Error).message);
    }
    setReading(false);
  };
  const first = useRef(dropped);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the file that opened the dialog
  useEffect(() => {
    if (first.current) void read(first.current);
    first.current = null;
  }, []);

  const leave = () => {
    if (preview) void remove(`/imports/${preview.importId}`).catch(() => {});
    close();
  };
  const start = async () => {
    if (!preview) return;
    try {
      await post(`/imports/${preview.importId}/start`);
      await client.invalidateQueries({ queryKey: importQuery.queryKey });
      close();
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  return (
    <Dialog
      close={leave}
      title={preview ? `Import ${preview.fileName}` : 'Import contacts'}
      size={preview ? 'xl' : 'md'}
    >
      <div className="form">
        {preview ? <Preview preview={preview} /> : <Choice isReading={isReading} read={(file) => void read(file)} />}
        {wrong && <Wrong>{wrong}</Wrong>}
        {preview && (
          <div className="buttons">
            <Button onClick={leave}>Cancel</Button>
            <Button kind="main" disabled={preview.rowCount === preview.refused} onClick={() => void start()}>
              Import {count(preview.rowCount - preview.refused, 'row')}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Choice({ isReading, read }: { isReading: boolean; read(file: File): void }) {
  const [isOver, setOver] = useState(false);
  return (
    <>
      <label
        className={`drop-zone ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const [file] = event.dataTransfer.files;
          if (file) read(file);
        }}
      >
        <Icon name="upload" size={26} />
        <strong role="status">{isReading ? 'Reading the file …' : 'Choose a CSV file, or drop it here'}</strong>
        <span className="small soft">Outlook, Google, Apple and Excel write such files.</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="hidden-visually"
          aria-label="CSV file"
          disabled={isReading}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) read(file);
          }}
        />
      </label>
      <p className="small soft">
        Nothing is changed before you have seen what the file says. Importing asks nobody for consent, and gives none.
      </p>
    </>
  );
}

function Preview({ preview: { columns, rows, rowCount, refused } }: { preview: ImportPreview }) {
  const used = columns.filter(({ field }) => field !== null);
  const unused = columns.filter(({ field, heading }) => field === null && heading !== '');
  if (rowCount === 0) return <p>There is nobody in this file.</p>;
  return (
    <>
      <p className="number">
        {count(rowCount, 'row')}
        {refused > 0 && (
          <>
            , of which <strong>{refused.toLocaleString('en-US')} can’t be imported</strong>
          </>
        )}
        . People who are here already, with the same names, email and phone, stay as they are.
      </p>
      <dl className="columns-found">
        {used.map(({ heading, field }) => (
          <div key={heading}>
            <Fact name={heading}>{fieldWords(field)}</Fact>
          </div>
        ))}
        {unused.length > 0 && (
          <div>
            <dt>{unused.map(({ heading }) => heading).join(', ')}</dt>
            <dd className="soft">Not imported</dd>
          </div>
        )}
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="preview-rows" tabIndex={0} aria-label="The first rows">
        <table>
          <thead>
            <tr>
              {['Line', 'Name', 'Phone', 'Email', 'Groups', 'Result'].map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, name, phone, email, groups, result, why }) => (
              <tr key={line}>
                <td className="number soft">{line}</td>
                <td>{name}</td>
                <td className="number">{phone && phoneWords(phone)}</td>
                <td>{email}</td>
                <td>{groups?.join(', ')}</td>
                <td>
                  <Chip {...resultWords[result]} />
                  {why && <div className="small soft">{sentence(why)}</div>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
