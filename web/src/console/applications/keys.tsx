import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { Ask, ShownOnce } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, whenColumn } from '../table.tsx';
import { PlanForm } from './plan-form.tsx';
import { type ApiKey, type Application, keysQuery, type Plan } from './queries.ts';

type OpenDialog = { what: 'issue' } | { what: 'plan' | 'revoke'; key: ApiKey };

/** The API keys of an application, each with its usage plan. */
export function Keys({ application: { clientId, disabled } }: { application: Application }) {
  const { data } = useQuery(keysQuery);
  const [asked, ask] = useState<OpenDialog | null>(null);
  const [issued, setIssued] = useState<string | null>(null);
  const close = () => ask(null);
  const issue = async (plan: Plan) => {
    setIssued((await post<{ apiKey: string }>(`/applications/${clientId}/keys`, { body: plan })).apiKey);
    await refresh('/keys');
  };
  const setPlan = async (key: ApiKey, plan: Plan) => {
    await put(`/keys/${key.keyId}`, { body: plan });
    await refresh('/keys');
    toast('The plan is set.');
  };
  const revoke = async (key: ApiKey) => {
    await post(`/keys/${key.keyId}/revoke`);
    await refresh('/keys');
    toast('The key is revoked.');
  };
  return (
    <section>
      <DataTable
        name="keys"
        columns={columns}
        rows={data?.data.filter((key) => key.clientId === clientId)}
        keyOf={({ keyId }) => keyId}
        title="API keys"
        hasFilter={false}
        buttons={
          <Button icon="key" onClick={() => ask({ what: 'issue' })} disabled={disabled || !data}>
            Issue a key
          </Button>
        }
        empty="It has no key. Every call needs one, beside the token."
        actions={(key) =>
          key.revoked ? null : (
            <>
              <button type="button" className="button small" onClick={() => ask({ what: 'plan', key })}>
                Plan
              </button>{' '}
              <button type="button" className="button small bad" onClick={() => ask({ what: 'revoke', key })}>
                Revoke
              </button>
            </>
          )
        }
      />
      {asked?.what === 'issue' && data && (
        <PlanForm title="Issue a key" action="Issue" plan={data.defaultPlan} save={issue} close={close} />
      )}
      {asked?.what === 'plan' && (
        <PlanForm
          title="Usage plan"
          action="Save"
          plan={asked.key}
          save={(plan) => setPlan(asked.key, plan)}
          close={close}
        />
      )}
      {asked?.what === 'revoke' && (
        <Ask title="Revoke the key?" action="Revoke it" isBad run={() => revoke(asked.key)} close={close}>
          Within a second, every node refuses <code>{asked.key.hint}</code>. This can’t be undone: issue another key
          first, if the application should go on.
        </Ask>
      )}
      {issued && (
        <ShownOnce title="The new API key" values={{ 'API key': issued }} close={() => setIssued(null)}>
          Copy it now. Only its hash is stored, so nobody can show it again.
        </ShownOnce>
      )}
    </section>
  );
}

const columns: Column<ApiKey>[] = [
  { name: 'Key', text: ({ hint }) => hint, cell: ({ hint }) => <code>{hint}</code> },
  {
    name: 'State',
    text: ({ revoked }) => (revoked ? 'Revoked' : 'Active'),
    cell: ({ revoked }) =>
      revoked ? (
        <Chip word="Revoked" icon="ban" tone="quiet" />
      ) : (
        <Chip word="Active" icon="circle-check" tone="good" />
      ),
  },
  { name: 'Per second', text: ({ ratePerSecond }) => ratePerSecond ?? 'No limit', isNumber: true },
  { name: 'At once', text: ({ burst }) => burst ?? 'No limit', isNumber: true },
  { name: 'Per day', text: ({ dailyQuota }) => dailyQuota ?? 'No limit', isNumber: true },
  whenColumn('Issued', ({ dateTimeCreated }) => dateTimeCreated),
];
