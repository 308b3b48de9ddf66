import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { check } from '../../../../server/src/http/console/numbers.ts';
import { get, post, put, remove } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Dialog, FormDialog } from '../../look/dialog.tsx';
import { Choice, Field } from '../../look/fields.tsx';
import { Chip, Fact } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { phoneWords, readPhone } from '../../words/people.ts';
import { advisorsQuery } from '../advisors/queries.ts';
import type { AnswerOf } from '../answers.ts';
import { Ask } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { type Column, DataTable, RowButton } from '../table.tsx';
import { When } from '../when.tsx';
import { type Carrier, numbersQuery, type TextingNumber } from './queries.ts';

type OpenDialog = { what: 'add' } | { what: 'change' | 'check' | 'release'; number: TextingNumber };

/** The numbers that advisors text from. */
export function Numbers({ carriers }: { carriers: Carrier[] }) {
  const { data } = useQuery(numbersQuery);
  const [asked, ask] = useState<OpenDialog | null>(null);
  const close = () => ask(null);
  const release = async ({ advisorId }: TextingNumber) => {
    await remove(`/numbers/${advisorId}`);
    await refresh('/numbers', '/advisors');
    toast('The number is released.');
  };
  return (
    <section>
      <DataTable
        name="numbers"
        title="Numbers"
        buttons={
          <Button icon="plus" onClick={() => ask({ what: 'add' })}>
            Assign a number
          </Button>
        }
        columns={columns}
        rows={data}
        keyOf={({ advisorId }) => advisorId}
        empty="No advisor has a number to text from."
        actions={(number) => (
          <span className="row-buttons">
            <RowButton what="Check" to={phoneWords(number.number)} run={() => ask({ what: 'check', number })} />
            <RowButton what="Change" to={phoneWords(number.number)} run={() => ask({ what: 'change', number })} />
            <RowButton
              what="Release"
              to={phoneWords(number.number)}
              run={() => ask({ what: 'release', number })}
              isBad
            />
          </span>
        )}
      />
      {asked?.what === 'add' && <NumberForm carriers={carriers} close={close} />}
      {asked?.what === 'change' && <NumberForm carriers={carriers} number={asked.number} close={close} />}
      {asked?.what === 'check' && <NumberCheck number={asked.number} close={close} />}
      {asked?.what === 'release' && (
        <Ask
          title={`Release ${phoneWords(asked.number.number)}?`}
          action="Release it"
          isBad
          run={() => release(asked.number)}
          close={close}
        >
          {asked.number.advisor} can no longer text, and queued texts fail. The number can be assigned again.
        </Ask>
      )}
    </section>
  );
}

const columns: Column<TextingNumber>[] = [
  {
    name: 'Number',
    text: ({ number }) => phoneWords(number),
    cell: ({ number }) => <b className="number-left">{phoneWords(number)}</b>,
  },
  { name: 'Advisor', text: ({ advisor }) => advisor },
  {
    name: 'Carrier',
    text: ({ carrier }) => carrier,
    cell: ({ carrier }) => carrier ?? <Chip word="None: it can’t text" icon="alert-triangle" tone="bad" />,
  },
  { name: 'Per second', text: ({ pace }) => pace ?? 'No limit', isNumber: true },
  { name: 'Campaign', text: ({ campaign }) => campaign },
];

function NumberForm({ carriers, number, close }: { carriers: Carrier[]; number?: TextingNumber; close(): void }) {
  const advisors = useQuery(advisorsQuery).data?.filter((each) => !each.textingNumber && !each.disabled);
  const [typed, type] = useState('');
  const [advisorId, setAdvisor] = useState(number ? String(number.advisorId) : '');
  const [carrier, setCarrier] = useState(number?.carrier ?? carriers[0]?.name ?? '');
  const [pace, setPace] = useState(number?.pace ? String(number.pace) : '');
  const [campaign, setCampaign] = useState(number?.campaign ?? '');
  const phone = readPhone(typed);
  // What isn't a number would be sent as null, which is no limit.
  const isPace = pace.trim() === '' || (Number.isInteger(Number(pace)) && Number(pace) >= 1);
  const run = async () => {
    const body = {
      carrier,
      pace: pace.trim() === '' ? null : Number(pace),
      campaign: campaign.trim() === '' ? null : campaign.trim(),
    };
    if (number) await put(`/numbers/${advisorId}`, { body });
    else await post(`/numbers/${advisorId}`, { body: { ...body, number: phone } });
    await refresh('/numbers', '/advisors');
  };
  return (
    <FormDialog
      title={number ? phoneWords(number.number) : 'Assign a number'}
      action={number ? 'Save' : 'Assign'}
      run={run}
      close={close}
      isReady={isPace && advisorId !== '' && carrier !== '' && (number !== undefined || phone !== null)}
    >
      {!number && (
        <>
          <Field label="Number" type="tel" value={typed} data-autofocus set={type} />
          <Choice
            label="Advisor, who has none yet"
            value={advisorId}
            choose={setAdvisor}
            none="Choose …"
            options={advisors?.map((each) => [each.advisorId, `${each.name}, ${each.email}`])}
          />
        </>
      )}
      <Choice label="Carrier" value={carrier} choose={setCarrier} options={carriers.map(({ name }) => [name, name])} />
      {number && carrier !== number.carrier && (
        <p className="hint">Queued texts are sent through {carrier}; those in flight finish where they are.</p>
      )}
      <div className="two">
        <Field
          label="Texts per second; empty for no limit"
          inputMode="numeric"
          value={pace}
          set={setPace}
          wrong={isPace ? null : 'A whole number, from 1.'}
        />
        <Field label="10DLC campaign, as a note" value={campaign} set={setCampaign} />
      </div>
    </FormDialog>
  );
}

type Check = AnswerOf<typeof check>;

function NumberCheck({ number, close }: { number: TextingNumber; close(): void }) {
  const path = `/numbers/${number.advisorId}/check`;
  const { data, error } = useQuery({ queryKey: [path], queryFn: () => get<Check>(path) });
  return (
    <Dialog title={phoneWords(number.number)} close={close}>
      {error && <p role="alert">{error.message}</p>}
      {data && (
        <div className="form">
          {data.faults.length === 0 ? (
            <Chip word="It can text" icon="circle-check" tone="good" />
          ) : (
            <p className="hint bad">It can’t text: {data.faults.join('; ')}.</p>
          )}
          <dl className="facts wide">
            <Fact name="Last sent">
              <When at={data.lastSentAt} never="Not lately" />
            </Fact>
            <Fact name="Last delivered">
              <When at={data.lastDeliveredAt} never="Not lately" />
            </Fact>
            <Fact name="Waiting">{data.waiting.toLocaleString('en-US')}</Fact>
            <Fact name="Last hour">
              {data.textsLastHour.toLocaleString('en-US')} sent, {data.errorsLastHour ?? 0} % failed,{' '}
              {data.inDoubtLastHour.toLocaleString('en-US')} in doubt
            </Fact>
          </dl>
        </div>
      )}
    </Dialog>
  );
}
