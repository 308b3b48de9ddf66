import { useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useNow } from '../api/clock.ts';
import { signOut } from '../api/http.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../look/button.tsx';
import { Tabs, Tick } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Fact } from '../look/parts.tsx';
import { SavedReplies } from '../saved-replies/saved-replies.tsx';
import { useSingleKeys } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { phoneWords } from '../words/people.ts';
import { clockTime } from '../words/times.ts';
import { FirmRules } from './firm-rules.tsx';
import { areOn, turnOff, turnOn } from './notifications.ts';
import { Signature } from './signature.tsx';

export function Settings() {
  const { advisor, environment } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const now = useNow();
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
            <Fact name="Name">{advisor.name}</Fact>
            <Fact name="Email">{advisor.email}</Fact>
            <Fact name="Firm">{advisor.firmName}</Fact>
            <dt>Texting number</dt>
            <dd className="number">
              {advisor.textingNumber ? phoneWords(advisor.textingNumber) : 'None: ask your firm for one'}
            </dd>
            <Fact name="Time zone">
              {advisor.timeZone.replaceAll('_', ' ')}, where it is {clockTime(now, advisor.timeZone)}. Set by your firm.
            </Fact>
            {environment === 'sandbox' && <Fact name="Environment">Sandbox: no text leaves this machine</Fact>}
          </dl>
        </section>
        <Signature />
        <SavedReplies />
        <FirmRules />
        <section className="section">
          <h2>This browser</h2>
          <div className="form">
            <Tick isOn={notified} set={(isOn) => void notifications(isOn)}>
              Notify me of new texts while Assent is open
            </Tick>
            <Tick isOn={single} set={turnSingle}>
              Use single letters as shortcuts
            </Tick>
            <div className="row">
              Appearance
              <Tabs
                label="Appearance"
                options={[
                  ['auto', 'As the system'],
                  ['light', 'Light'],
                  ['dark', 'Dark'],
                ]}
                chosen={colorScheme}
                choose={setColorScheme}
              />
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
            <a className="button" href="/sessions">
              <Icon name="lock" />
              Where you’re signed in
            </a>
            <Button icon="logout" onClick={signOut}>
              Sign out
            </Button>
          </div>
        </section>
      </div>
    </div>
  );
}
