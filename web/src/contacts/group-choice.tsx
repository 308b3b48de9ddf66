import { useState } from 'react';
import type { setMembers } from '../../../server/src/http/advisor/api/contacts.ts';
import { post } from '../api/http.ts';
import { refreshBook } from '../api/queries.ts';
import type { AnswerOf, BodyOf } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Wrong } from '../look/fields.tsx';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';
import { useFoundGroups } from './found-groups.tsx';

/** Puts everybody who is selected into a group, or takes them out of it. */
export default function GroupChoice({
  contactIds,
  make,
  close,
}: {
  contactIds: number[];
  /** A new one, first. */
  make(): void;
  close(): void;
}) {
  const { groups, found, search } = useFoundGroups();
  const [chosen, choose] = useState<number | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const group = groups.find(({ groupId }) => groupId === chosen);
  const set = async (isMember: boolean) => {
    if (!group) return;
    try {
      const { changed } = await post<AnswerOf<typeof setMembers>>(`/groups/${group.groupId}/members`, {
        body: { contactIds, isMember } satisfies BodyOf<typeof setMembers>,
      });
      const people = changed === 0 ? 'Nobody' : count(changed, 'person', 'people');
      toast(`${people} ${isMember ? 'added to' : 'removed from'} ${group.name}.`);
      await refreshBook();
      close();
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  return (
    <Dialog close={close} title={`Groups of ${count(contactIds.length, 'person', 'people')}`} size="sm">
      {groups.length === 0 ? (
        <p className="soft">There are no groups yet.</p>
      ) : (
        <fieldset className="group-choice">
          <legend>Group</legend>
          {search}
          {found.map(({ groupId, name, contactCount }) => (
            <label className="row" key={groupId}>
              <input type="radio" name="group" checked={chosen === groupId} onChange={() => choose(groupId)} />
              <span className="grow cut">{name}</span>
              <span className="small soft number">{contactCount.toLocaleString('en-US')}</span>
            </label>
          ))}
        </fieldset>
      )}
      <button type="button" className="link" onClick={make}>
        New group
      </button>
      {wrong && <Wrong>{wrong}</Wrong>}
      <div className="buttons" style={{ marginTop: 16 }}>
        <Button disabled={!group} onClick={() => void set(false)}>
          Remove from group
        </Button>
        <Button icon="plus" kind="main" disabled={!group} onClick={() => void set(true)}>
          Add to group
        </Button>
      </div>
    </Dialog>
  );
}
