import { useState } from 'react';
import { post } from '../../api/http.ts';
import { FormDialog } from '../dialogs.tsx';
import type { Firm } from '../firms/queries.ts';
import { refresh } from '../lists.ts';
import { type Role, roleNames } from '../session.ts';
import { afterSignIn } from './again.ts';

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
  const run = () =>
    afterSignIn(async () => {
      const body = { name: name.trim(), email: email.trim(), role, ...(ofFirm && { firmId: firm }) };
      const { link } = await post<{ link: string }>(path, { body });
      await refresh(path);
      show(link);
    });
  return (
    <FormDialog
      title="Invite somebody to the console"
      action="Make a link"
      run={run}
      close={close}
      isReady={name.trim() !== '' && email.includes('@') && (!ofFirm || firm !== undefined)}
    >
      <div className="two">
        <label className="label">
          Name
          <input className="plain-field" value={name} onChange={({ target }) => setName(target.value)} data-autofocus />
        </label>
        <label className="label">
          Email, to sign in with
          <input className="plain-field" type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
        </label>
      </div>
      <label className="label">
        Role
        <select className="plain-field" value={role} onChange={({ target }) => setRole(target.value as Role)}>
          {roles.map((each) => (
            <option value={each} key={each}>
              {roleNames[each]}
            </option>
          ))}
        </select>
      </label>
      {ofFirm && (
        <label className="label">
          Firm
          <select className="plain-field" value={firm} onChange={({ target }) => setFirm(Number(target.value))}>
            {firms.map((each) => (
              <option value={each.firmId} key={each.firmId}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
      )}
    </FormDialog>
  );
}
