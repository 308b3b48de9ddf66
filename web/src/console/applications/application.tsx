import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Fact } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { count } from '../../words/people.ts';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { NotFound } from '../shell.tsx';
import { accountState } from '../table.tsx';
import { ApplicationForm } from './application-form.tsx';
import { Keys } from './keys.tsx';
import { Provisions } from './provisions.tsx';
import { type Application as AnApplication, applicationsQuery } from './queries.ts';

type OpenDialog = 'change' | 'rotate' | 'disconnect' | 'disable' | null;

export function Application() {
  const { clientId } = useParams({ from: '/applications/$clientId' });
  const { data, error } = useQuery(applicationsQuery);
  if (error && !data) return <Broken error={error} />;
  if (!data) return null;
  const application = data.data.find((each) => each.clientId === clientId);
  return application ? <Page application={application} scopes={data.scopes} key={clientId} /> : <NotFound />;
}

function Page({ application, scopes }: { application: AnApplication; scopes: Record<string, string> }) {
  const { clientId, name, disabled } = application;
  const [asked, ask] = useState<OpenDialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => ask(null);
  const rotate = async () => {
    setSecret((await post<{ clientSecret: string }>(`/applications/${clientId}/secret`)).clientSecret);
  };
  const disconnect = async () => {
    const { ended } = await post<{ ended: number }>(`/applications/${clientId}/disconnect`);
    toast(`${count(ended, 'advisor')} had allowed it. Its tokens have ended.`);
  };
  const disable = async () => {
    await post(`/applications/${clientId}/disable`);
    await refresh('/applications');
    toast(`${name} is disabled.`);
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <Link to="/applications" className="button quiet square" aria-label="All applications">
          <Icon name="chevron-left" />
        </Link>
        <h1>{name}</h1>
        <Chip {...accountState(application)} />
        <div className="row wrap end">
          <Button icon="pencil" onClick={() => ask('change')}>
            Change
          </Button>
          <Button icon="refresh" onClick={() => ask('rotate')} disabled={disabled}>
            New secret
          </Button>
          <Button icon="plug" onClick={() => ask('disconnect')}>
            Disconnect
          </Button>
          <Button icon="ban" kind="bad" onClick={() => ask('disable')} disabled={disabled}>
            Disable
          </Button>
        </div>
      </header>
      <section className="console-card">
        <dl className="facts">
          <Fact name="Client id">
            <code>{clientId}</code>
          </Fact>
          <Fact name="May ask for">{application.scopes.map((scope) => scopes[scope] ?? scope).join('; ')}</Fact>
          <Fact name="Redirect URIs">
            {application.redirectUris.join(', ') || 'None: it can only use client credentials'}
          </Fact>
        </dl>
      </section>
      <Keys application={application} />
      <Provisions application={application} />
      {asked === 'change' && <ApplicationForm application={application} scopes={scopes} close={close} />}
      {asked === 'rotate' && (
        <Ask title="Make a new client secret?" action="Make a new secret" isBad run={rotate} close={close}>
          The old secret stops working at once: {name} can’t get or refresh tokens until it has the new one. Tokens that
          it holds work until they expire.
        </Ask>
      )}
      {asked === 'disconnect' && (
        <Ask title={`Disconnect ${name}?`} action="Disconnect it" isBad run={disconnect} close={close}>
          The access that advisors gave it ends: refresh at once, access tokens within a second on every node. Each
          advisor can allow it again.
        </Ask>
      )}
      {asked === 'disable' && (
        <Ask title={`Disable ${name}?`} action="Disable it" isBad run={disable} close={close}>
          Within a second, every node refuses its tokens and keys. This can’t be undone: register it again instead.
        </Ask>
      )}
      {secret && (
        <ShownOnce title="The new client secret" values={{ 'Client secret': secret }} close={() => setSecret(null)}>
          Copy it now. Only its hash is stored, so nobody can show it again.
        </ShownOnce>
      )}
    </div>
  );
}
