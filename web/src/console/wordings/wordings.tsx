import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { get, put } from '../../api/http.ts';
import type { Wording } from '../../api/types.ts';
import { Broken, Loading } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { segmentsOf } from '../../words/encoding.ts';
import { count } from '../../words/people.ts';
import { advisorsQuery } from '../archive/entries.ts';
import { Ask } from '../dialogs.tsx';
import { useKept } from '../kept.ts';
import { useSession } from '../session.ts';
import './wordings.css';
import type { list } from '../../../../server/src/http/console/wordings.ts';
import { Button } from '../../look/button.tsx';
import { Lines, Tabs } from '../../look/fields.tsx';
import type { RowOf } from '../answers.ts';
import { When } from '../when.tsx';

type Version = History['versions'][number];
type History = RowOf<typeof list>;

const wordingsQuery = {
  queryKey: ['wordings'],
  queryFn: async () => (await get<{ data: History[] }>('/wordings')).data,
};

const kinds: Record<Wording['kind'], { name: string; when: string; before: string | null }> = {
  consent_request: { name: 'Consent request', when: 'Sent when an advisor asks for consent.', before: null },
  reminder: { name: 'Reminder', when: 'Sent once, to an answer that is neither yes nor no.', before: 'ok?' },
  opt_in: { name: 'After their yes', when: 'Sent when somebody accepts.', before: 'ACCEPT' },
  opt_out: { name: 'After STOP', when: 'Sent when somebody opts out.', before: 'STOP' },
  help: { name: 'After HELP', when: 'Sent when somebody asks for help.', before: 'HELP' },
  first_text: {
    name: 'First text',
    when: 'Added to the first text to a person, where the firm wants that.',
    before: null,
  },
};

/** What people read that no advisor wrote: each wording with its versions, and as it looks on a phone. */
export function Wordings() {
  const { data, error } = useQuery(wordingsQuery);
  const [kind, setKind] = useState<Wording['kind']>('consent_request');
  const [typed, keep] = useKept<WordingDrafts>('wordings');
  if (error && !data) return <Broken error={error} />;
  const shown = data?.find((each) => each.kind === kind);
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Wordings</h1>
      </header>
      <Tabs
        className="wrap"
        label="Which text"
        options={Object.entries(kinds).map(([each, { name }]) => [each, name])}
        chosen={kind}
        choose={setKind}
      />
      {shown ? (
        <Editor key={kind} history={shown} typed={typed?.[kind]} type={(text) => keep({ ...typed, [kind]: text })} />
      ) : (
        <Loading height={320} />
      )}
    </div>
  );
}

type WordingDrafts = Partial<Record<Wording['kind'], string>>;

function Editor({
  history: { kind, usual, versions },
  typed,
  type: setText,
}: {
  history: History;
  typed: string | undefined;
  type(text: string | undefined): void;
}) {
  const { staff } = useSession();
  const advisor = useQuery(advisorsQuery).data?.[0]?.name ?? 'Your advisor';
  const current = versions[0]?.text ?? usual;
  const text = typed ?? current;
  const [isAsking, ask] = useState(false);
  const rendered = text.replace(/\{(firm|advisor)\}/g, (_, name) =>
    name === 'firm' ? (staff.firmName ?? '') : advisor,
  );
  const { when, before } = kinds[kind];
  return (
    <div className="wordings">
      <section className="console-card form" aria-labelledby="wording">
        <h2 id="wording">{kinds[kind].name}</h2>
        <p className="soft">{when}</p>
        <Lines label="Wording" rows={6} value={text} set={setText} />
        <p className="small soft">
          <code>{'{firm}'}</code> and <code>{'{advisor}'}</code> become their names. With these names it is{' '}
          {count([...rendered].length, 'character')}, {count(segmentsOf(rendered).segments, 'segment')}.
        </p>
        <div className="row wrap">
          <Button kind="main" disabled={text === current || text.trim() === ''} onClick={() => ask(true)}>
            Use this from now on
          </Button>
          <Button disabled={text === current} onClick={() => setText(undefined)}>
            Discard
          </Button>
        </div>
      </section>
      <figure className="preview phone wordings-preview">
        <figcaption className="small soft">As it looks on a phone, from {advisor}</figcaption>
        {before && <div className="say out">{before}</div>}
        <div className="say in">{kind === 'first_text' ? `Good morning! ${rendered}` : rendered}</div>
      </figure>
      <section className="console-card wordings-versions" aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <ol>
          {versions.map((each, index) => (
            <li key={each.version}>
              <div className="row">
                <b>Version {each.version}</b>
                {index === 0 && <span className="chip good">Now</span>}
                <span className="small soft">
                  since <When at={each.dateTimeCreated} />
                </span>
                <Restore text={each.text} shown={text} restore={setText} />
              </div>
              <p>{each.text}</p>
            </li>
          ))}
          <li>
            <div className="row">
              <b>The usual wording</b>
              {versions.length === 0 && <span className="chip good">Now</span>}
              <Restore text={usual} shown={text} restore={setText} />
            </div>
            <p>{usual}</p>
          </li>
        </ol>
      </section>
      {isAsking && <Confirm kind={kind} text={text} used={() => setText(undefined)} close={() => ask(false)} />}
    </div>
  );
}

function Restore({ text, shown, restore }: { text: string; shown: string; restore(text: string): void }) {
  if (text === shown) return null;
  return (
    <Button icon="edit" kind="small end" onClick={() => restore(text)}>
      Start from this
    </Button>
  );
}

function Confirm({ kind, text, used, close }: { kind: Wording['kind']; text: string; used(): void; close(): void }) {
  const client = useQueryClient();
  return (
    <Ask
      title="Use this wording?"
      action="Use it"
      close={close}
      run={async () => {
        const { version } = await put<Version>('/wordings', { body: { kind, text } }).catch(inWords);
        toast(`Version ${version} is in use.`);
        await client.invalidateQueries({ queryKey: wordingsQuery.queryKey });
        used();
      }}
    >
      Every text of this kind has it from the next one on. Texts that went out keep the wording they had, as evidence.
      The change is an archive entry with your name.
    </Ask>
  );
}

/** The server names the kind as commands do. */
function inWords(error: Error): never {
  throw new Error(error.message.replace(/^The \w+ wording/, 'The wording'));
}
