import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Broken } from '../../look/parts.tsx';
import { count } from '../../words/people.ts';
import { ShownOnce } from '../dialogs.tsx';
import { type Column, DataTable, stateColumn, whenColumn } from '../table.tsx';
import { ApplicationForm } from './application-form.tsx';
import { type Application, applicationsQuery, keysQuery } from './queries.ts';
import { SigningKeys } from './signing-keys.tsx';

export function Applications() {
  const { data, error } = useQuery(applicationsQuery);
  const keys = useQuery(keysQuery).data?.data;
  const [isAdding, add] = useState(false);
  const [made, setMade] = useState<{ clientId: string; clientSecret: string } | null>(null);
  if (error && !data) return <Broken error={error} />;
  const keysOf = ({ clientId }: Application) =>
    keys?.filter((key) => key.clientId === clientId && !key.revoked).length ?? null;
  const columns: Column<Application>[] = [
    {
      name: 'Application',
      text: ({ name }) => name,
      cell: ({ name, clientId }) => (
        <Link to="/applications/$clientId" params={{ clientId }}>
          <b>{name}</b>
        </Link>
      ),
    },
    stateColumn(),
    { name: 'Client id', text: ({ clientId }) => clientId, cell: ({ clientId }) => <code>{clientId}</code> },
    { name: 'Keys', text: keysOf, isNumber: true },
    { name: 'Scopes', text: ({ scopes }) => scopes.length, isNumber: true },
    whenColumn('Registered', ({ dateTimeCreated }) => dateTimeCreated),
  ];
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Applications</h1>
        <span className="soft">{data && count(data.data.length, 'application')}</span>
        <Button icon="plus" kind="main end" onClick={() => add(true)} disabled={!data}>
          Register
        </Button>
      </header>
      <DataTable
        name="applications"
        columns={columns}
        rows={data?.data}
        keyOf={({ clientId }) => clientId}
        empty="No application is registered. Partners need one to call the API."
      />
      <SigningKeys />
      {isAdding && data && <ApplicationForm scopes={data.scopes} close={() => add(false)} added={setMade} />}
      {made && (
        <ShownOnce
          title="The application is registered"
          values={{ 'Client id': made.clientId, 'Client secret': made.clientSecret }}
          close={() => setMade(null)}
        >
          Copy the secret now. Only its hash is stored, so nobody can show it again; you can make a new one.
        </ShownOnce>
      )}
    </div>
  );
}
