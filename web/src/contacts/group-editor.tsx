import { Modal } from '@mantine/core';
import { useRef, useState } from 'react';
import { post } from '../api/http.ts';
import { client, groupsQuery } from '../api/queries.ts';
import { newKey } from '../inbox/outbox.ts';

export function GroupEditor({ close, made }: { close(): void; made(groupId: number): void }) {
  const [name, setName] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const key = useRef(newKey());
  const save = async () => {
    try {
      const { id } = await post<{ id: number }>('/v1/core/contact/groups', {
        body: { name: name.trim() },
        idempotencyKey: key.current,
      });
      await client.invalidateQueries({ queryKey: groupsQuery.queryKey });
      made(id);
      close();
    } catch (error) {
      // A changed name is another request.
      key.current = newKey();
      setWrong((error as Error).message);
    }
  };
  return (
    <Modal opened onClose={close} title="New group" size="sm" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="label">
          Name
          <input
            className="plain-field"
            value={name}
            onChange={({ target }) => setName(target.value)}
            required
            data-autofocus
            aria-invalid={wrong ? true : undefined}
          />
          {wrong && <small role="alert">{wrong}</small>}
        </label>
        <p className="small soft">Put people into it from their contact.</p>
        <div className="buttons">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={name.trim() === ''}>
            Add
          </button>
        </div>
      </form>
    </Modal>
  );
}
