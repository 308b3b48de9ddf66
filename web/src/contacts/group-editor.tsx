import { useRef, useState } from 'react';
import { post, put } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import type { Group } from '../api/types.ts';
import { newKey } from '../inbox/outbox.ts';
import { Dialog } from '../look/dialog.tsx';
import { Field } from '../look/fields.tsx';

/** Without a group it makes a new one. */
export default function GroupEditor({
  group,
  close,
  made,
}: {
  group: Group | null;
  close(): void;
  made(groupId: number): void;
}) {
  const [name, setName] = useState(group?.name ?? '');
  const [wrong, setWrong] = useState<string | null>(null);
  const key = useRef(newKey());
  const save = async () => {
    const body = { name: name.trim() };
    try {
      if (group) await put(`/groups/${group.groupId}`, { body });
      const id =
        group?.groupId ??
        (await post<{ id: number }>('/v1/core/contact/groups', { body, idempotencyKey: key.current })).id;
      await refreshBook();
      made(id);
      close();
    } catch (error) {
      // A changed name is another request.
      key.current = newKey();
      setWrong((error as Error).message);
    }
  };
  return (
    <Dialog close={close} title={group ? 'Rename group' : 'New group'} size="sm">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Name" value={name} required data-autofocus set={setName} wrong={wrong} />
        {!group && <p className="small soft">Select people in the list to put them into it.</p>}
        <div className="buttons">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={name.trim() === ''}>
            {group ? 'Rename' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
