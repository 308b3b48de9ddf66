import { useState } from 'react';
import { post } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field } from '../../look/fields.tsx';
import type { Firm } from '../firms/queries.ts';
import { refresh } from '../lists.ts';
import { type Role, roleNames } from '../session.ts';

const firmRoles: Role[] = ['reviewer', 'compliance_officer'];

/** Adds somebody to the staff and gives the link for them: of one's own firm, or of any, if these are given. */
export function InviteForm({
  path,
  firms,
  close,
  show,
}: {
  path: string;
  firms: Firm[] | null;
  close(): void;
  show(link: string): void;
}) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('reviewer');
  const [firm, setFirm] = useState(firms?.[0]?.firmId);
  const roles: Role[] = firms ? [...firmRoles, 'operator'] : firmRoles;
  const ofFirm = firms !== null && role !== 'operator';
  const run = async () => {
    const body = { name: name.trim(), email: email.trim(), role, ...(ofFirm && { firmId: firm }) };
    const { link } = await post<{ link: string }>(path, { body });
    await refresh(path);
    show(link);
  };
  return (
    <FormDialog
      title="Invite somebody to the console"
      action="Make a link"
      run={run}
      close={close}
      isReady={name.trim() !== '' && email.includes('@') && (!ofFirm || firm !== undefined)}
    >
      <div className="two">
        <Field label="Name" value={name} data-autofocus set={setName} />
        <Field label="Email" type="email" value={email} set={setEmail} />
      </div>
      <Choice
        label="Role"
        value={role}
        choose={(value) => setRole(value as Role)}
        options={roles.map((each) => [each, roleNames[each]])}
      />
      {ofFirm && (
        <Choice
          label="Firm"
          value={firm}
          choose={(value) => setFirm(Number(value))}
          options={firms.map((each) => [each.firmId, each.name])}
        />
      )}
    </FormDialog>
  );
}
