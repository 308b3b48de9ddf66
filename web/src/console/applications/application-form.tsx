import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { Field, Lines, Tick } from '../../look/fields.tsx';
import { refresh } from '../lists.ts';
import type { Application } from './queries.ts';

/** Registers an application, or changes one. */
export function ApplicationForm({
  application,
  scopes,
  close,
  added,
}: {
  application?: Application;
  scopes: Record<string, string>;
  close(): void;
  added?(made: { clientId: string; clientSecret: string }): void;
}) {
  const [name, setName] = useState(application?.name ?? '');
  const [uris, setUris] = useState(application?.redirectUris.join('\n') ?? '');
  const [chosen, choose] = useState(new Set(application?.scopes ?? Object.keys(scopes)));
  const body = {
    redirectUris: uris.split(/\s+/).filter(Boolean),
    scopes: Object.keys(scopes).filter((scope) => chosen.has(scope)),
  };
  const run = async () => {
    if (application) await put(`/applications/${application.clientId}`, { body });
    else added?.(await post('/applications', { body: { ...body, name: name.trim() } }));
    await refresh('/applications');
  };
  return (
    <FormDialog
      title={application ? 'Change the application' : 'Register an application'}
      action={application ? 'Save' : 'Register'}
      run={run}
      close={close}
      isReady={name.trim() !== '' && body.scopes.length > 0}
    >
      {!application && (
        <Field
          label="Name, as advisors read it when they are asked to allow it"
          value={name}
          data-autofocus
          set={setName}
        />
      )}
      <Lines
        label="Redirect URIs, one per line"
        rows={2}
        value={uris}
        placeholder="https://crm.example/callback"
        set={setUris}
      />
      <fieldset className="choices">
        <legend>May ask for</legend>
        {Object.entries(scopes).map(([scope, words]) => (
          <Tick
            key={scope}
            isOn={chosen.has(scope)}
            set={() => choose((before) => before.symmetricDifference(new Set([scope])))}
          >
            {words}
          </Tick>
        ))}
      </fieldset>
      {application && (
        <p className="small soft">What advisors allowed before stays allowed until they disconnect it.</p>
      )}
    </FormDialog>
  );
}
