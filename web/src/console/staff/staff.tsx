import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, put } from '../../api/http.ts';
import { Broken, Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { roleNames, type Session, useSession } from '../session.ts';

type Member = Session['staff'] & { disabled: boolean };

const staffQuery = {
  queryKey: ['staff'],
  queryFn: async () => (await get<{ data: Member[] }>('/staff')).data,
};

/** Who works in the console for this firm. */
export function Staff() {
  const { data, error } = useQuery(staffQuery);
  if (error) return <Broken error={error} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Staff</h1>
      </header>
      <div className="console-table">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Email</th>
              <th scope="col">Role</th>
              <th scope="col">State</th>
              <th scope="col">
                <span className="hidden-visually">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data?.map((member) => (
              <Row member={member} key={member.staffId} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Row({ member }: { member: Member }) {
  const { staff } = useSession();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (change: { disabled: boolean }) => put<Member>(`/staff/${member.staffId}`, { body: change }),
    onSuccess({ name, disabled }) {
      toast(disabled ? `${name} can’t sign in any more.` : `${name} can sign in again.`);
      return client.invalidateQueries({ queryKey: staffQuery.queryKey });
    },
    onError: ({ message }) => toast(message),
  });
  return (
    <tr>
      <td>
        <b>{member.name}</b>
      </td>
      <td>{member.email}</td>
      <td>{roleNames[member.role]}</td>
      <td>
        {member.disabled ? (
          <Chip word="Disabled" icon="ban" tone="bad" />
        ) : (
          <Chip word="Active" icon="circle-check" tone="good" />
        )}
      </td>
      <td>
        {member.staffId !== staff.staffId && (
          <button
            type="button"
            className="button small"
            disabled={isPending}
            onClick={() => mutate({ disabled: !member.disabled })}
          >
            {member.disabled ? 'Enable' : 'Disable'}
          </button>
        )}
      </td>
    </tr>
  );
}
