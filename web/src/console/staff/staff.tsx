import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { inviteAny, list } from '../../../../server/src/http/console/staff.ts';
import { post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Broken } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import type { AnswerOf, RowOf } from '../answers.ts';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { firmsQuery } from '../firms/queries.ts';
import { listQuery, refresh } from '../lists.ts';
import { type Role, roleNames, useSession } from '../session.ts';
import { type Column, DataTable, RowButton, stateColumn } from '../table.tsx';
import { InviteForm } from './invite-form.tsx';

type Member = RowOf<typeof list>;
type OpenDialog = { what: 'add' } | { what: 'invite' | 'role' | 'disable'; member: Member };

/** Who works in the console: for a compliance officer those of the firm, for an operator everybody. */
export function Staff() {
  const { staff } = useSession();
  const isOperator = staff.role === 'operator';
  const path = isOperator ? '/all-staff' : '/staff';
  const { data, error } = useQuery(listQuery<Member>(path));
  const firms = useQuery({ ...firmsQuery, enabled: isOperator }).data?.data;
  const [asked, ask] = useState<OpenDialog | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const close = () => ask(null);
  if (error && !data) return <Broken error={error} />;
  const columns: Column<Member>[] = [
    { name: 'Name', text: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
    ...(isOperator
      ? [
          {
            name: 'Firm',
            text: ({ firmId }: Member) => firms?.find((each) => each.firmId === firmId)?.name ?? 'All firms',
          },
        ]
      : []),
    { name: 'Email', text: ({ email }) => email },
    { name: 'Role', text: ({ role }) => roleNames[role] },
    stateColumn(),
  ];
  const set = async ({ staffId }: Member, change: { disabled?: boolean; role?: Role }, done: string) => {
    await put(`${path}/${staffId}`, { body: change });
    await refresh(path);
    toast(done);
  };
  const invite = async ({ staffId }: Member) => {
    const { link, mailedTo } = await post<AnswerOf<typeof inviteAny>>(`${path}/${staffId}/invite`);
    setLink(link);
    if (mailedTo) toast(`The link was sent to ${mailedTo}.`);
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Staff</h1>
        <Button icon="user-plus" kind="main end" onClick={() => ask({ what: 'add' })} disabled={isOperator && !firms}>
          Invite somebody
        </Button>
      </header>
      <DataTable
        name="staff"
        columns={columns}
        rows={data}
        keyOf={({ staffId }) => staffId}
        actions={(member) =>
          member.staffId !== staff.staffId && (
            <RowActions
              member={member}
              isOperator={isOperator}
              ask={(what) => ask({ what, member })}
              enable={() => set(member, { disabled: false }, `${member.name} can sign in again.`)}
            />
          )
        }
      />
      {asked?.what === 'add' && (
        <InviteForm path={path} firms={isOperator ? (firms ?? []) : null} close={close} show={setLink} />
      )}
      {asked?.what === 'invite' && (
        <Ask
          title={`Invite ${asked.member.name} again?`}
          action="Make a link"
          run={() => invite(asked.member)}
          close={close}
        >
          {asked.member.hasPasskey
            ? 'For somebody who lost their passkeys. The link goes to their address, or you read it out to them; they and the officers of the firm are told, and passkeys from before no longer work once it is used.'
            : `You get a link at which ${asked.member.email} adds a passkey to sign in with.`}{' '}
          It works once, for 24 hours, and signs them out now.
        </Ask>
      )}
      {asked?.what === 'role' && <RoleQuestion member={asked.member} set={set} close={close} />}
      {asked?.what === 'disable' && (
        <Ask
          title={`Disable ${asked.member.name}?`}
          action="Disable the account"
          isBad
          run={() => set(asked.member, { disabled: true }, `${asked.member.name} can’t sign in any more.`)}
          close={close}
        >
          They are signed out at once and can’t sign in to the console. You can enable the account again.
        </Ask>
      )}
      {link && (
        <ShownOnce title="The invitation" values={{ Link: link }} close={() => setLink(null)}>
          Give it only to them: whoever opens it first signs in as them. You won’t see it again.
        </ShownOnce>
      )}
    </div>
  );
}

function RoleQuestion({
  member,
  set,
  close,
}: {
  member: Member;
  set(member: Member, change: { role: Role }, done: string): Promise<void>;
  close(): void;
}) {
  const isReviewer = member.role === 'reviewer';
  const role = isReviewer ? 'compliance_officer' : 'reviewer';
  const name = roleNames[role].toLowerCase();
  return (
    <Ask
      title={`Make ${member.name} a ${name}?`}
      action={`Make ${name}`}
      run={() => set(member, { role }, `${member.name} is a ${name} now.`)}
      close={close}
    >
      {isReviewer
        ? 'They can then also change the lexicon, wordings, retention and holds, export the archive, and invite staff.'
        : 'They can then only review, search the archive and look at consent.'}
    </Ask>
  );
}

function RowActions({
  member: { name, role, disabled, hasPasskey },
  isOperator,
  ask,
  enable,
}: {
  member: Member;
  isOperator: boolean;
  ask(what: 'invite' | 'role' | 'disable'): void;
  enable(): Promise<void>;
}) {
  if (disabled) return <RowButton what="Enable" to={name} run={() => enable()} />;
  return (
    <span className="row-buttons">
      {role !== 'operator' && <RowButton what="Role of" to={name} run={() => ask('role')} />}
      {(isOperator || !hasPasskey) && <RowButton what="Invite again:" to={name} run={() => ask('invite')} />}
      <RowButton what="Disable" to={name} run={() => ask('disable')} isBad />
    </span>
  );
}
