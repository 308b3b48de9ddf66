import { useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { signOut } from '../api/http.ts';
import { useSession } from '../api/session.ts';
import { Icon } from '../look/icons.tsx';
import { SavedReplies } from '../saved-replies/saved-replies.tsx';
import { useSingleKeys } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { phoneWords } from '../words/people.ts';
import { areOn, turnOff, turnOn } from './notifications.ts';
import { Signature } from './signature.tsx';

const nights = {
  off: 'Texts go out at any hour.',
  defer: 'Texts at night wait until the person’s morning.',
  refuse: 'Texts at night are refused.',
};

export function Settings() {
  const { advisor, environment } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [single, turnSingle] = useSingleKeys();
  const [notified, setNotified] = useState(areOn);
  const notifications = async (on: boolean) => {
    if (!on) turnOff();
    else if (!(await turnOn())) toast('Your browser doesn’t allow notifications for this page.');
    setNotified(areOn());
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <div className="page-body">
        <section className="section">
          <h2>You</h2>
          <dl className="facts">
            <dt>Name</dt>
            <dd>{advisor.name}</dd>
            <dt>Email</dt>
            <dd>{advisor.email}</dd>
            <dt>Firm</dt>
            <dd>{advisor.firmName}</dd>
            <dt>Texting number</dt>
            <dd className="number">
              {advisor.textingNumber ? phoneWords(advisor.textingNumber) : 'None: ask your firm for one'}
            </dd>
            <dt>Time zone</dt>
            <dd>{advisor.timeZone.replaceAll('_', ' ')}</dd>
            {environment === 'sandbox' && (
              <>
                <dt>Environment</dt>
                <dd>Sandbox: no text leaves this machine</dd>
              </>
            )}
          </dl>
        </section>
        <Signature />
        <SavedReplies />
        <section className="section">
          <h2>Your firm’s rules</h2>
          <dl className="facts">
            <dt>Consent</dt>
            <dd>
              {advisor.consentRequired
                ? 'People must accept before you text them.'
                : 'Texts go to everybody who hasn’t opted out.'}
            </dd>
            <dt>Consent requests</dt>
            <dd>{advisor.consentCollection ? 'You can send them.' : 'Not set up.'}</dd>
            <dt>Nights</dt>
            <dd>{nights[advisor.quietHours]}</dd>
          </dl>
          <p className="small soft" style={{ marginTop: 10 }}>
            Your firm decides about these.
          </p>
        </section>
        <section className="section">
          <h2>This browser</h2>
          <div className="form">
            <label className="row">
              <input type="checkbox" checked={notified} onChange={({ target }) => void notifications(target.checked)} />
              Notify me of new texts while Assent is open
            </label>
            <label className="row">
              <input type="checkbox" checked={single} onChange={({ target }) => turnSingle(target.checked)} />
              Use single letters as shortcuts
            </label>
            <div className="row">
              Appearance
              <div className="tabs">
                {(['auto', 'light', 'dark'] as const).map((scheme) => (
                  <button
                    type="button"
                    key={scheme}
                    aria-pressed={colorScheme === scheme}
                    onClick={() => setColorScheme(scheme)}
                  >
                    {{ auto: 'As the system', light: 'Light', dark: 'Dark' }[scheme]}
                  </button>
                ))}
              </div>
            </div>
          </div>
        </section>
        <section className="section">
          <h2>Security</h2>
          <div className="row wrap">
            <a className="button" href="/connected-apps">
              <Icon name="plug" />
              Connected apps
            </a>
            <a className="button" href="/passkeys">
              <Icon name="key" />
              Passkeys
            </a>
            <button type="button" className="button" onClick={signOut}>
              <Icon name="logout" />
              Sign out
            </button>
          </div>
        </section>
      </div>
    </div>
  );
}
