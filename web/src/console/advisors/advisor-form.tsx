import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { toast } from '../../shell/toasts.tsx';
import { FormDialog } from '../dialogs.tsx';
import type { Firm } from '../firms/queries.ts';
import { refresh } from '../lists.ts';
import type { Advisor } from './queries.ts';

const nights: Record<Advisor['quietHours'], string> = {
  off: 'go out at any hour',
  defer: 'wait until 8 AM where the person is',
  refuse: 'are refused',
};
const zones = Intl.supportedValuesOf('timeZone');

/** Adds an advisor, or changes the settings of one. Their number is on the carriers' page. */
export function AdvisorForm({
  advisor,
  firms,
  firmId,
  close,
}: {
  advisor?: Advisor;
  firms: Firm[];
  firmId?: number | undefined;
  close(): void;
}) {
  const [given, give] = useState({
    name: advisor?.name ?? '',
    email: advisor?.email ?? '',
    timeZone: advisor?.timeZone ?? 'America/New_York',
    consentRequired: advisor?.consentRequired ?? true,
    consentCollection: advisor?.consentCollection ?? true,
    quietHours: advisor?.quietHours ?? ('off' as const),
  });
  const [firm, setFirm] = useState(String(firmId ?? firms[0]?.firmId ?? ''));
  const set = (change: Partial<typeof given>) => give({ ...given, ...change });
  const run = async () => {
    const body = { ...given, name: given.name.trim(), email: given.email.trim() };
    if (advisor) await put(`/advisors/${advisor.advisorId}`, { body });
    else await post(`/firms/${firm}/advisors`, { body });
    await refresh('/advisors');
    toast(advisor ? 'Saved.' : `${body.name} is added. Invite them to choose a password.`);
  };
  return (
    <FormDialog
      title={advisor ? advisor.name : 'Add an advisor'}
      action={advisor ? 'Save' : 'Add'}
      run={run}
      close={close}
      isReady={given.name.trim() !== '' && given.email.includes('@')}
    >
      {!advisor && (
        <label className="label">
          Firm
          <select className="plain-field" value={firm} onChange={({ target }) => setFirm(target.value)}>
            {firms.map((each) => (
              <option value={each.firmId} key={each.firmId}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="two">
        <label className="label">
          Name
          <input
            className="plain-field"
            value={given.name}
            onChange={({ target }) => set({ name: target.value })}
            data-autofocus
          />
        </label>
        <label className="label">
          Email, to sign in with
          <input
            className="plain-field"
            type="email"
            value={given.email}
            onChange={({ target }) => set({ email: target.value })}
          />
        </label>
      </div>
      <label className="label">
        Time zone
        <select
          className="plain-field"
          value={given.timeZone}
          onChange={({ target }) => set({ timeZone: target.value })}
        >
          {zones.map((zone) => (
            <option value={zone} key={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <label className="label">
        Before 8 AM and after 9 PM, texts
        <select
          className="plain-field"
          value={given.quietHours}
          onChange={({ target }) => set({ quietHours: target.value as Advisor['quietHours'] })}
        >
          {Object.entries(nights).map(([value, words]) => (
            <option value={value} key={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="choices">
        <legend>Consent</legend>
        <label className="row">
          <input
            type="checkbox"
            checked={given.consentRequired}
            onChange={({ target }) => set({ consentRequired: target.checked })}
          />
          A text needs the person’s consent
        </label>
        <label className="row">
          <input
            type="checkbox"
            checked={given.consentCollection}
            onChange={({ target }) => set({ consentCollection: target.checked })}
          />
          The account can ask for consent
        </label>
      </fieldset>
    </FormDialog>
  );
}
