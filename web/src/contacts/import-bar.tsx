import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { post, remove } from '../api/http.ts';
import { client, importQuery } from '../api/queries.ts';
import type { FileImport } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { toast } from '../shell/toasts.tsx';
import { sentence } from '../words/imports.ts';
import { count } from '../words/people.ts';

/** An import that runs on the server, and what came of it, until it is dismissed. */
export function ImportBar() {
  const { data } = useQuery(importQuery);
  const [isOpen, open] = useState(false);
  const left = useSecondsLeft(data ?? null);
  if (!data || data.status === 'previewed') return null;
  const { fileName, status, rowCount, rowsDone, created, updated, unchanged, repeated, refused, notes } = data;
  const number = (of: number) => of.toLocaleString('en-US');
  const dismiss = async () => {
    await remove(`/imports/${data.importId}`).catch((error) => toast(error.message));
    await client.invalidateQueries({ queryKey: importQuery.queryKey });
  };
  const stop = async () => {
    await post(`/imports/${data.importId}/stop`).catch((error) => toast(error.message));
    await client.invalidateQueries({ queryKey: importQuery.queryKey });
  };
  return (
    <section className="import-bar" aria-label="Import">
      <Icon name="upload" size={20} />
      <div className="grow">
        <div className="row">
          <strong className="cut">{fileName}</strong>
          <span className="soft number">
            {status === 'done'
              ? `${count(rowCount, 'row')}, done`
              : status === 'failed'
                ? 'broke off'
                : `${number(rowsDone)} of ${count(rowCount, 'row')}${status === 'stopped' ? ', stopped' : ''}`}
          </span>
          {status === 'running' && left !== null && <span className="small soft end number">about {left} s left</span>}
        </div>
        <progress
          value={status === 'done' ? 1 : rowsDone}
          max={status === 'done' ? 1 : rowCount}
          aria-label="Progress"
        />
        <div className="small number" role="status">
          <span className="tone good">{number(created)} added</span>
          {updated > 0 && <> · {number(updated)} changed</>}
          {unchanged > 0 && <> · {number(unchanged)} were already here</>}
          {repeated > 0 && <> · {number(repeated)} twice in the file</>}
          {refused > 0 && (
            <>
              {' '}
              · <span className="tone bad">{count(refused, 'row')} can’t be imported</span>
            </>
          )}
          {status === 'stopped' && ' · Who was imported stays. The file can be imported again.'}
          {status === 'failed' && (
            <span className="tone bad"> · Import the file again: who is here stays as they are.</span>
          )}
        </div>
      </div>
      {notes.length > 0 && (
        <Button kind="small" onClick={() => open(true)}>
          See {number(Math.max(refused, notes.length))}
        </Button>
      )}
      {status === 'running' ? (
        <Button kind="small" onClick={() => void stop()}>
          Stop
        </Button>
      ) : (
        <Button icon="x" kind="quiet square small" aria-label="Dismiss" onClick={() => void dismiss()} />
      )}
      {isOpen && <Notes done={data} close={() => open(false)} />}
    </section>
  );
}

function Notes({ done: { importId, fileName, refused, notes }, close }: { done: FileImport; close(): void }) {
  return (
    <Dialog close={close} title={`Rows of ${fileName} to look at`} size="lg">
      <ul className="import-notes">
        {notes.map(({ line, isRefused, why }) => (
          <li key={line} className="row">
            <span className="number soft">Line {line}</span>
            <span className="grow">
              {isRefused
                ? sentence(why)
                : `Imported, without ${sentence(why)[0]?.toLowerCase()}${sentence(why).slice(1)}`}
            </span>
          </li>
        ))}
      </ul>
      {refused > 0 && (
        <div className="buttons" style={{ marginTop: 16 }}>
          <a className="button main" href={`/app/api/imports/${importId}/refused`} download="refused.csv">
            <Icon name="download" />
            Download {count(refused, 'row')} as CSV
          </a>
        </div>
      )}
    </Dialog>
  );
}

/** By the pace since this page first saw it. */
function useSecondsLeft(data: FileImport | null): number | null {
  const began = useRef<{ importId: number; at: number; rows: number } | null>(null);
  if (data?.status !== 'running') return null;
  if (began.current?.importId !== data.importId)
    began.current = { importId: data.importId, at: performance.now(), rows: data.rowsDone };
  const { at, rows } = began.current;
  const rowsPerMs = (data.rowsDone - rows) / (performance.now() - at);
  return rowsPerMs > 0 ? Math.ceil((data.rowCount - data.rowsDone) / rowsPerMs / 1000) : null;
}
