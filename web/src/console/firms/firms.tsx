import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Field, Tick } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { advisorsQuery } from '../advisors/queries.ts';
import { refresh } from '../lists.ts';
import { type Column, DataTable, RowButton, whenColumn } from '../table.tsx';
import { type Firm, firmsQuery } from './queries.ts';
import { FirmTabs } from './tabs.tsx';

export function Firms() {
  const { data, error } = useQuery(firmsQuery);
  const advisors = useQuery(advisorsQuery).data;
  const [isAdding, add] = useState(false);
  const [changed, change] = useState<Firm | null>(null);
  if (error && !data) return <Broken error={error} />;
  const line = ({ firstTextLine }: Firm) => firstTextLine ?? data?.environment === 'production';
  const columns: Column<Firm>[] = [
    { name: 'Firm', text: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
    {
      name: 'Advisors',
      text: ({ firmId }) => advisors?.filter((each) => each.firmId === firmId).length ?? null,
      cell: ({ firmId }) => (
        <Link to="/advisors" search={{ firm: firmId }}>
          {advisors?.filter((each) => each.firmId === firmId).length ?? '–'}
        </Link>
      ),
      isNumber: true,
    },
    {
      name: 'A STOP counts for',
      text: ({ optOutScope }) => (optOutScope === 'firm' ? 'The whole firm' : 'The advisor who texted'),
    },
    { name: 'First text', text: (firm) => (line(firm) ? 'Names the firm and STOP' : 'As written') },
    whenColumn('Added', ({ dateTimeCreated }) => dateTimeCreated),
  ];
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Firms and advisors</h1>
        <FirmTabs here="firms" />
        <Button icon="plus" kind="main end" onClick={() => add(true)}>
          Add a firm
        </Button>
      </header>
      <DataTable
        name="firms"
        columns={columns}
        rows={data?.data}
        keyOf={({ firmId }) => firmId}
        empty="There is no firm yet. Add one, then its advisors."
        actions={(firm) => <RowButton what="Settings of" to={firm.name} run={() => change(firm)} />}
      />
      {isAdding && <AddFirm close={() => add(false)} />}
      {changed && <FirmSettings firm={changed} line={line(changed)} close={() => change(null)} />}
    </div>
  );
}

function AddFirm({ close }: { close(): void }) {
  const [name, setName] = useState('');
  const run = async () => {
    await post('/firms', { body: { name: name.trim() } });
    await refresh('/firms');
  };
  return (
    <FormDialog title="Add a firm" action="Add" run={run} close={close} isReady={name.trim() !== ''} size="sm">
      <Field label="Name, as people read it in consent requests" value={name} data-autofocus set={setName} />
    </FormDialog>
  );
}

function FirmSettings({ firm, line, close }: { firm: Firm; line: boolean; close(): void }) {
  const [firstTextLine, setLine] = useState(line);
  const [optOutScope, setScope] = useState(firm.optOutScope);
  const run = async () => {
    const body = { ...(firstTextLine !== line && { firstTextLine }), optOutScope };
    await put(`/firms/${firm.firmId}`, { body });
    await refresh('/firms');
    toast(`The settings of ${firm.name} are saved.`);
  };
  return (
    <FormDialog title={firm.name} action="Save" run={run} close={close}>
      <fieldset className="choices">
        <legend>A STOP counts for</legend>
        <label className="row">
          <input type="radio" checked={optOutScope === 'advisor'} onChange={() => setScope('advisor')} />
          the advisor it was sent to
        </label>
        <label className="row">
          <input type="radio" checked={optOutScope === 'firm'} onChange={() => setScope('firm')} />
          every advisor of the firm
        </label>
      </fieldset>
      {optOutScope === 'firm' && firm.optOutScope !== 'firm' && (
        <p className="hint warn">
          <Icon name="alert-triangle" />
          Earlier stops count for the whole firm too, from now on: those people are opted out with every advisor, unless
          they agreed after their stop. Changing it back doesn’t bring their consent back.
        </p>
      )}
      <Tick isOn={firstTextLine} set={setLine}>
        The first text to a person names the firm and says how to stop
      </Tick>
    </FormDialog>
  );
}
