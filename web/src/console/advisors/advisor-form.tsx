import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field, Tick } from '../../look/fields.tsx';
import { toast } from '../../shell/toasts.tsx';
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
        <Choice label="Firm" value={firm} choose={setFirm} options={firms.map((each) => [each.firmId, each.name])} />
      )}
      <div className="two">
        <Field label="Name" value={given.name} data-autofocus set={(name) => set({ name })} />
        <Field label="Email, to sign in with" type="email" value={given.email} set={(email) => set({ email })} />
      </div>
      <Choice
        label="Time zone"
        value={given.timeZone}
        choose={(timeZone) => set({ timeZone })}
        options={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])}
      />
      <Choice
        label="Before 8 AM and after 9 PM, texts"
        value={given.quietHours}
        choose={(value) => set({ quietHours: value as Advisor['quietHours'] })}
        options={Object.entries(nights)}
      />
      <fieldset className="choices">
        <legend>Consent</legend>
        <Tick isOn={given.consentRequired} set={(consentRequired) => set({ consentRequired })}>
          A text needs the person’s consent
        </Tick>
        <Tick isOn={given.consentCollection} set={(consentCollection) => set({ consentCollection })}>
          The account can ask for consent
        </Tick>
      </fieldset>
    </FormDialog>
  );
}
