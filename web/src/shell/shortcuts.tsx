import { Dialog } from '../look/dialog.tsx';
import { modKey, useSingleKeys } from './keys.ts';

type Keys = [what: string, keys: string[]][];

const appKeys: Keys = [
  ['Next conversation, contact or month', ['J']],
  ['Previous one', ['K']],
  ['Select a contact', ['X']],
  ['Search', ['/']],
  ['Write a new text', ['C']],
  ['Write in the open conversation', ['R']],
  ['Mark as done, or put back', ['E']],
  ['Saved replies, at the beginning of a text', ['/']],
  ['Send', [modKey, '↵']],
  ['Leave a field, close a dialog', ['Esc']],
  ['This sheet', ['?']],
];

export default function Shortcuts({ close, keys = appKeys }: { close(): void; keys?: Keys }) {
  const [on, turn] = useSingleKeys();
  return (
    <Dialog close={close} title="Keyboard shortcuts" size="sm">
      <dl className="keys">
        {keys.map(([what, pressed]) => (
          <div className="row" key={what} style={{ display: 'contents' }}>
            <dt>{what}</dt>
            <dd className="row">
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="row" style={{ marginTop: 18 }}>
        <input type="checkbox" checked={on} onChange={({ target }) => turn(target.checked)} />
        Use single letters as shortcuts
      </label>
    </Dialog>
  );
}
