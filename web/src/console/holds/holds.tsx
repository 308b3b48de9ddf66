import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post, put } from '../../api/http.ts';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Loading } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { count, phoneWords } from '../../words/people.ts';
import { useFormAbout } from '../archive/about.ts';
import { advisorsQuery, type ReadEntry } from '../archive/entries.ts';
import { type Person, PersonField } from '../archive/person-field.tsx';
import { useSession } from '../session.ts';
import { type Column, DataTable, RowButton, whenColumn } from '../table.tsx';
import '../archive/archive.css';
import './holds.css';
import type { due, list, retention } from '../../../../server/src/http/console/holds.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Choice, Field, Tabs } from '../../look/fields.tsx';
import type { AnswerOf, RowOf } from '../answers.ts';
import { When } from '../when.tsx';

type Hold = RowOf<typeof list>;
type Due = RowOf<typeof due>;

const holdsQuery = { queryKey: ['holds'], queryFn: async () => (await get<{ data: Hold[] }>('/holds')).data };
const retentionQuery = { queryKey: ['retention'], queryFn: () => get<AnswerOf<typeof retention>>('/retention') };
const dueQuery = { queryKey: ['due'], queryFn: async () => (await get<{ data: Due[] }>('/retention/due')).data };

/** What keeps the firm's records, and for how long. */
export function Holds() {
  const { data, error } = useQuery(holdsQuery);
  const advisors = useQuery(advisorsQuery).data;
  const { about, isOpen, open, close } = useFormAbout();
  const [lifted, lift] = useState<Hold | null>(null);
  const { staff } = useSession();
  if (error && !data) return <Broken error={error} />;
  const nameOf = (id: number) => advisors?.find(({ advisorId }) => advisorId === id)?.name ?? 'An advisor';
  const whatOf = ({ advisorId, phone }: Hold) => {
    if (advisorId === null) return `All of ${staff.firmName}`;
    return phone ? `${nameOf(advisorId)} with ${phoneWords(phone)}` : `All of ${nameOf(advisorId)}`;
  };
  const columns: Column<Hold>[] = [
    { name: 'Records', text: whatOf, cell: (hold) => <b>{whatOf(hold)}</b> },
    { name: 'Reason', text: ({ reason }) => reason },
    { name: 'Added by', text: ({ by }) => by },
    whenColumn('Added', ({ dateTimeCreated }) => dateTimeCreated),
    {
      name: 'State',
      text: ({ dateTimeLifted, liftedBy, liftReason }) =>
        dateTimeLifted ? `Lifted by ${liftedBy}, ${dateTimeLifted}: ${liftReason}` : 'In force',
      cell: ({ dateTimeLifted, liftedBy, liftReason }) =>
        dateTimeLifted ? (
          <span className="soft">
            Lifted by {liftedBy}, <When at={dateTimeLifted} />: {liftReason}
          </span>
        ) : (
          <Chip word="In force" icon="gavel" tone="warn" />
        ),
    },
  ];
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Holds and retention</h1>
        <Button icon="gavel" kind="main end" onClick={open}>
          Add a hold
        </Button>
      </header>
      <Retention />
      <DataTable
        name="holds"
        title="Legal holds"
        columns={columns}
        rows={data}
        keyOf={({ holdId }) => holdId}
        empty="No hold was ever added."
        actions={(hold) =>
          hold.dateTimeLifted === null && <RowButton what="Lift" to={whatOf(hold)} run={() => lift(hold)} />
        }
      />
      {isOpen && <AddHold of={about} close={close} />}
      {lifted && <LiftHold hold={lifted} what={whatOf(lifted)} close={() => lift(null)} />}
    </div>
  );
}

function Retention() {
  const { data, error, refetch } = useQuery(retentionQuery);
  const { data: due, error: dueError } = useQuery(dueQuery);
  const [isChanging, change] = useState(false);
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data) return <Loading height={160} />;
  const { years, nextYears, nextFrom } = data;
  const sum = (of: 'disposed' | 'kept') => due?.reduce((total, each) => total + each[of], 0) ?? 0;
  const held = due?.filter((each) => each.held).map(({ advisor }) => advisor) ?? [];
  return (
    <section className="console-card" aria-labelledby="retention">
      <div className="row section-head">
        <h2 id="retention">Retention: {count(years, 'year')}</h2>
        <Button kind="small end" onClick={() => change(true)}>
          Change
        </Button>
      </div>
      <p>
        What people wrote, and evidence of consent, is kept for {count(years, 'year')} and then disposed of, once a day.
        The entry itself stays, with its time and proof, and a further one says what was disposed of. Texts under a
        hold, texts still on their way, and what proves a consent in force are kept longer. Settings are kept forever.
      </p>
      {nextFrom && (
        <p>
          {count(nextYears ?? years, 'year')} were set, and count from <When at={nextFrom} /> on.
        </p>
      )}
      <p className="holds-due">
        {due === undefined
          ? dueError
            ? `What is due can’t be said now. ${dueError.message}`
            : 'Looking for what is due …'
          : sum('disposed') + sum('kept') === 0
            ? 'Nothing is due for disposal now.'
            : `The next disposal removes ${count(sum('disposed'), 'text')}, and keeps ${count(sum('kept'), 'old one')} for one of these reasons.`}
        {held.length > 0 && ` A hold keeps everything of ${held.join(', ')}.`}
      </p>
      {isChanging && <ChangeYears years={years} set={nextYears ?? years} close={() => change(false)} />}
    </section>
  );
}

function ChangeYears({ years, set, close }: { years: number; set: number; close(): void }) {
  const client = useQueryClient();
  const [text, setText] = useState(String(set));
  const wanted = Number(text);
  const isValid = Number.isInteger(wanted) && wanted >= 3 && wanted <= 100;
  return (
    <FormDialog
      title="Retention"
      action={isValid ? `Keep for ${count(wanted, 'year')}` : 'Keep'}
      isReady={isValid && wanted !== set}
      isBad={isValid && wanted < years}
      close={close}
      run={async () => {
        await put('/retention', { body: { years: wanted } });
        toast(`Texts are kept for ${count(wanted, 'year')}${wanted < years ? ' in a week' : ''}.`);
        for (const { queryKey } of [retentionQuery, dueQuery]) await client.invalidateQueries({ queryKey });
      }}
    >
      <Field label="Whole years, 3 to 100" type="number" min={3} max={100} value={text} set={setText} />
      <p className="small soft">
        It counts for existing texts, too.{' '}
        {isValid && wanted < years
          ? 'In seven days, texts that are older than that are disposed of, and nobody can bring them back.'
          : 'The change is an archive entry with your name.'}
      </p>
    </FormDialog>
  );
}

type Scope = 'firm' | 'advisor' | 'person';

type HeldPerson = Pick<Person, 'advisorId' | 'memberId' | 'name' | 'phone' | 'advisor'>;

function AddHold({ of: about, close }: { of: ReadEntry | undefined; close(): void }) {
  const client = useQueryClient();
  const { staff } = useSession();
  const advisors = useQuery(advisorsQuery).data;
  const [scope, setScope] = useState<Scope>(about ? 'person' : 'advisor');
  const [advisorId, setAdvisor] = useState('');
  const [person, setPerson] = useState(() => heldIn(about));
  const [reason, setReason] = useState('');
  const isChosen = { firm: true, advisor: advisorId !== '', person: person !== null }[scope];
  const of = {
    firm: {},
    advisor: { advisorId: Number(advisorId) },
    person: { advisorId: person?.advisorId, memberId: person?.memberId },
  }[scope];
  return (
    <FormDialog
      title="Add a hold"
      action="Hold these records"
      isReady={isChosen && reason.trim() !== ''}
      close={close}
      run={async () => {
        await post('/holds', { body: { ...of, reason: reason.trim() } });
        toast('The hold is in force.');
        for (const { queryKey } of [holdsQuery, dueQuery]) await client.invalidateQueries({ queryKey });
      }}
    >
      <Tabs
        className="wrap"
        label="Whose records"
        options={[
          ['firm', `All of ${staff.firmName}`],
          ['advisor', 'One advisor'],
          ['person', 'One person'],
        ]}
        chosen={scope}
        choose={setScope}
      />
      {scope === 'advisor' && (
        <Choice
          label="Advisor"
          value={advisorId}
          choose={setAdvisor}
          none="Choose"
          options={advisors?.map(({ advisorId, name }) => [advisorId, name])}
        />
      )}
      {scope === 'person' &&
        (person ? (
          <p className="archive-chosen">
            <span className="grow cut">
              {person.name ?? phoneWords(person.phone)}, known to {person.advisor}
            </span>
            <Button kind="quiet small square" aria-label="Somebody else" onClick={() => setPerson(null)}>
              <Icon name="x" size={16} />
            </Button>
          </p>
        ) : (
          <PersonField label="Person" choose={setPerson} />
        ))}
      <Field label="Reason" value={reason} maxLength={1_000} placeholder="Matter 2026-117" set={setReason} />
      <p className="small soft">
        However old they get, these records are kept until somebody lifts the hold. It is an archive entry with your
        name.
      </p>
    </FormDialog>
  );
}

function heldIn(about: ReadEntry | undefined): HeldPerson | null {
  if (!about?.memberId || about.phone === null || about.advisor === null) return null;
  const { advisorId, memberId, name, phone, advisor } = about;
  return { advisorId, memberId, name, phone, advisor };
}

function LiftHold({ hold, what, close }: { hold: Hold; what: string; close(): void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title="Lift this hold?"
      action="Lift the hold"
      isReady={reason.trim() !== ''}
      isBad
      close={close}
      run={async () => {
        await post(`/holds/${hold.holdId}/lift`, { body: { reason: reason.trim() } });
        toast('The hold is lifted.');
        for (const { queryKey } of [holdsQuery, dueQuery]) await client.invalidateQueries({ queryKey });
      }}
    >
      <p>
        <b>{what}</b>, held for “{hold.reason}”. In seven days, those of its records whose retention is over are
        disposed of, and nobody can bring them back.
      </p>
      <Field label="Why it is lifted" value={reason} maxLength={1_000} set={setReason} />
    </FormDialog>
  );
}
