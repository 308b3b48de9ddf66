import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { put, remove } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Broken, Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { count } from '../../words/people.ts';
import { Ask } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, RowButton } from '../table.tsx';
import { CarrierForm } from './carrier-form.tsx';
import { Numbers } from './numbers.tsx';
import { type Carrier, carriersQuery, kindsQuery } from './queries.ts';
import { countsOf, faultWords, kindNames, paceOf, stateOf } from './words.ts';

type OpenDialog = { what: 'add' } | { what: 'change' | 'disable' | 'remove'; carrier: Carrier };

/** The carriers as they do now, and the numbers that go by them. */
export function Carriers() {
  const { data, error } = useQuery(carriersQuery);
  const kinds = useQuery(kindsQuery).data;
  const [asked, ask] = useState<OpenDialog | null>(null);
  const close = () => ask(null);
  if (error && !data) return <Broken error={error} />;
  const setDisabled = async ({ name }: Carrier, disabled: boolean) => {
    await put(`/carriers/${name}`, { body: { disabled } });
    await refresh('/carriers');
    toast(disabled ? `Nodes close ${name} within seconds.` : `Nodes open ${name} within seconds.`);
  };
  const removeIt = async ({ name }: Carrier) => {
    await remove(`/carriers/${name}`);
    await refresh('/carriers');
  };
  const hasForm = ({ kind }: Carrier) => kinds?.some((each) => each.kind === kind && each.fields);
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Carriers</h1>
        <Button icon="plus" kind="main end" onClick={() => ask({ what: 'add' })} disabled={!kinds}>
          Add a carrier
        </Button>
      </header>
      <DataTable
        name="carriers"
        columns={columns}
        rows={data}
        keyOf={({ carrierId }) => carrierId}
        title="On all nodes, now"
        hasFilter={false}
        empty="No carrier yet, so no text can leave. Add one."
        actions={(carrier) =>
          carrier.kind !== 'sandbox' && (
            <span className="row-buttons">
              {hasForm(carrier) && (
                <RowButton what="Settings of" to={carrier.name} run={() => ask({ what: 'change', carrier })} />
              )}
              <RowButton
                what={carrier.disabled ? 'Enable' : 'Disable'}
                to={carrier.name}
                run={() => (carrier.disabled ? setDisabled(carrier, false) : ask({ what: 'disable', carrier }))}
              />
              <RowButton what="Remove" to={carrier.name} run={() => ask({ what: 'remove', carrier })} isBad />
            </span>
          )
        }
      />
      <Faults carriers={data ?? []} />
      <Numbers carriers={data ?? []} />
      {asked?.what === 'add' && kinds && <CarrierForm kinds={kinds} close={close} />}
      {asked?.what === 'change' && kinds && <CarrierForm kinds={kinds} carrier={asked.carrier} close={close} />}
      {asked?.what === 'disable' && (
        <Ask
          title={`Disable ${asked.carrier.name}?`}
          action="Disable it"
          isBad
          run={() => setDisabled(asked.carrier, true)}
          close={close}
        >
          Nodes close it within seconds. Texts in flight finish; others stay queued, none is lost, and they go out when
          you enable it again.
        </Ask>
      )}
      {asked?.what === 'remove' && (
        <Ask
          title={`Remove ${asked.carrier.name}?`}
          action="Remove it"
          isBad
          run={() => removeIt(asked.carrier)}
          close={close}
        >
          Its settings are deleted. It is refused as long as a number uses the carrier.
        </Ask>
      )}
    </div>
  );
}

const columns: Column<Carrier>[] = [
  { name: 'Carrier', text: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
  { name: 'Kind', text: ({ kind }) => kindNames[kind] ?? kind },
  { name: 'State', text: (carrier) => stateOf(carrier).word, cell: (carrier) => <Chip {...stateOf(carrier)} /> },
  { name: 'Waiting', text: ({ waiting }) => waiting, isNumber: true },
  { name: 'In doubt', text: ({ inDoubt }) => inDoubt, isNumber: true },
  { name: 'Taken', text: (carrier) => countsOf(carrier).accepted, isNumber: true },
  { name: 'Refused', text: (carrier) => countsOf(carrier).refused, isNumber: true },
  {
    name: 'Pace',
    text: paceOf,
    cell: (carrier) => (paceOf(carrier) === null ? <span className="soft">No limit</span> : `${paceOf(carrier)}/s`),
    isNumber: true,
  },
];

/** What the carriers or their connections said last, while something is wrong. */
function Faults({ carriers }: { carriers: Carrier[] }) {
  const faults = carriers.flatMap(({ name, nodes }) =>
    nodes.flatMap(({ node, lastFault, carrier }) => [
      ...(lastFault ? [{ key: `${name} ${node}`, name, what: lastFault, where: node }] : []),
      ...(carrier?.connections ?? []).flatMap((each) =>
        each.state !== 'bound' && each.lastFault
          ? [{ key: `${name} ${node} ${each.name}`, name, what: each.lastFault, where: each.host }]
          : [],
      ),
    ]),
  );
  if (faults.length === 0) return null;
  return (
    <section className="console-card">
      <h2>{count(faults.length, 'thing')} to look at</h2>
      <ul className="lines">
        {faults.map(({ key, name, what, where }) => (
          <li key={key}>
            <b>{name}</b> ({where}): {faultWords(what)}
          </li>
        ))}
      </ul>
    </section>
  );
}
