import type { renameGroup } from '../../../server/src/http/advisor/api/contacts.ts';
import { post, put } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import type { BodyOf, Group, IdResult } from '../api/types.ts';
import { groupDraft, useFormDraft } from '../inbox/drafts.ts';
import { useKeyOf } from '../inbox/outbox.ts';
import { FormDialog } from '../look/dialog.tsx';
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
  const [{ name }, type, done] = useFormDraft(groupDraft(group?.groupId ?? null), { name: group?.name ?? '' }, close);
  const keyOf = useKeyOf();
  const save = async () => {
    const body = { name: name.trim() } satisfies BodyOf<typeof renameGroup>;
    if (group) await put(`/groups/${group.groupId}`, { body });
    const id =
      group?.groupId ?? (await post<IdResult>('/v1/core/contact/groups', { body, idempotencyKey: keyOf(body) })).id;
    await refreshBook();
    made(id);
  };
  return (
    <FormDialog
      title={group ? 'Rename group' : 'New group'}
      action={group ? 'Rename' : 'Add'}
      run={save}
      close={done}
      isReady={name.trim() !== ''}
      size="sm"
    >
      <Field label="Name" value={name} required data-autofocus set={(name) => type({ name })} />
      {!group && <p className="small soft">Select people in the list to put them into it.</p>}
    </FormDialog>
  );
}
