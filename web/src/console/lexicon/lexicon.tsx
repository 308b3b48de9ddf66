import './lexicon.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get, post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Choice, Field, Lines, Wrong } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Loading } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { client } from '../client.ts';
import { Ask } from '../dialogs.tsx';
import { useKept } from '../kept.ts';
import { When } from '../when.tsx';
import { DryRunResult } from './dry-run.tsx';
import {
  type Action,
  actionNames,
  type Detector,
  type Draft,
  type DryRun,
  detectorNames,
  draftOf,
  type Lexicon as Given,
  type KeptDrafts,
  newDraft,
  ruleIn,
  rulesOf,
} from './rules.ts';
import { TryText } from './try-text.tsx';

const lexiconQuery = { queryKey: ['lexicon'], queryFn: () => get<Given>('/lexicon') };

/** What the firm's supervision looks for in texts: edited, tried over the last 30 days, then saved as a new version. */
export function Lexicon() {
  const { data, error, refetch } = useQuery({ ...lexiconQuery, refetchOnWindowFocus: false });
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data)
    return (
      <div className="console-page">
        <Loading height={360} />
      </div>
    );
  return <Editor given={data} key={data.present} />;
}

function Editor({ given }: { given: Given }) {
  const [latest, keep] = useKept<KeptDrafts>('lexicon');
  const [kept] = useState(latest);
  // Based on a version that a colleague has replaced: never instead of theirs without a word.
  const [older, setOlder] = useState(kept && kept.version !== given.present ? kept : null);
  const [drafts, setDrafts] = useState(() => (kept && !older ? kept.drafts : given.rules.map(draftOf)));
  const [from, setFrom] = useState(given.present);
  const [wrong, setWrong] = useState<string | null>(null);
  const [result, setResult] = useState<{ rules: string; run: DryRun } | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [isAsking, ask] = useState(false);
  const rules = rulesOf(drafts);
  const isChanged = JSON.stringify(rules) !== JSON.stringify(given.rules);
  useEffect(() => {
    if (isChanged) keep({ version: given.present, drafts });
    else if (!older) keep(null);
  }, [keep, given, isChanged, drafts, older]);
  const change = (key: number, part: Partial<Draft>) =>
    setDrafts(drafts.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const run = async () => {
    setRunning(true);
    setWrong(null);
    try {
      setResult({ rules: JSON.stringify(rules), run: await post<DryRun>('/lexicon/dry-run', { body: { rules } }) });
    } catch (error) {
      setWrong((error as Error).message);
    }
    setRunning(false);
  };
  const save = async () => {
    const body = { rules, basedOn: given.present };
    const saved = await put<{ version: number }>('/lexicon', { body }).catch(async (error) => {
      // With the newer version comes the choice between the two.
      if (error.status === 409) await client.invalidateQueries({ queryKey: lexiconQuery.queryKey });
      throw error;
    });
    keep(null);
    toast(`Version ${saved.version} is in force, from the next text on.`);
    await client.invalidateQueries({ queryKey: lexiconQuery.queryKey });
  };
  const load = async (version: number) => {
    try {
      const { rules } = await get<Given>('/lexicon', { query: { version } });
      setDrafts(rules.map(draftOf));
      setFrom(version);
      setResult(null);
      setWrong(null);
    } catch (error) {
      toast((error as Error).message);
    }
  };
  const wrongRule = wrong ? ruleIn(wrong) : null;
  return (
    <div className="console-page lexicon">
      <header className="console-head">
        <h1>Lexicon</h1>
        <Chip
          word={given.present === 0 ? 'The built-in lexicon is in force' : `Version ${given.present} is in force`}
          icon="circle-check"
          tone="good"
        />
        {from !== given.present && <span className="soft">Editing from {versionName(from)}</span>}
        <span className="row wrap end">
          {isChanged && (
            <Button kind="quiet" onClick={() => void load(given.present)}>
              Discard changes
            </Button>
          )}
          <Button icon="history" disabled={isRunning} onClick={() => void run()}>
            {isRunning ? 'Reading the last 30 days…' : 'Dry run over 30 days'}
          </Button>
          <Button kind="main" disabled={!isChanged} onClick={() => ask(true)}>
            Save as version {given.present + 1}
          </Button>
        </span>
      </header>
      {older && !isChanged && (
        <p className="hint warn lexicon-older">
          <Icon name="alert-triangle" />
          <span className="grow">
            {versionName(given.present)} was saved while you were editing {versionName(older.version).toLowerCase()}. It
            is shown here; your rules are kept.
          </span>
          <Button
            kind="small"
            onClick={() => {
              setDrafts(older.drafts);
              setOlder(null);
            }}
          >
            Go on with mine
          </Button>
          <Button kind="small" onClick={() => setOlder(null)}>
            Discard mine
          </Button>
        </p>
      )}
      {wrong && <Wrong>{wrong}</Wrong>}
      <div className="lexicon-columns">
        <section aria-label="Rules" className="lexicon-rules">
          {drafts.map((draft, index) => (
            <RuleCard
              key={draft.key}
              draft={draft}
              number={index + 1}
              isWrong={wrongRule === index + 1}
              detectors={given.detectors}
              change={(part) => change(draft.key, part)}
              remove={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
            />
          ))}
          {drafts.length === 0 && <p className="soft">Without a rule nothing is flagged, held or blocked.</p>}
          <Button icon="plus" onClick={() => setDrafts([...drafts, newDraft()])}>
            Add a rule
          </Button>
        </section>
        <div className="lexicon-side">
          {result && <DryRunResult run={result.run} isStale={result.rules !== JSON.stringify(rules)} />}
          <TryText rules={rules} />
          <History given={given} shown={from} load={(version) => void load(version)} />
        </div>
      </div>
      {isAsking && (
        <Ask
          title={`Save as version ${given.present + 1}?`}
          action="Save and use it"
          run={save}
          close={() => ask(false)}
        >
          It is used for every text from the next one on. Texts and reviews of before keep what was found by their
          version.{' '}
          {result && result.rules === JSON.stringify(rules)
            ? `In the dry run ${result.run.changed.toLocaleString('en-US')} of ${result.run.texts.toLocaleString('en-US')} texts would have been treated otherwise.`
            : 'You haven’t made a dry run with these rules.'}
        </Ask>
      )}
    </div>
  );
}

function RuleCard({
  draft,
  number,
  isWrong,
  detectors,
  change,
  remove,
}: {
  draft: Draft;
  number: number;
  isWrong: boolean;
  detectors: Detector[];
  change(part: Partial<Draft>): void;
  remove(): void;
}) {
  const { name, action, looksFor, phrases } = draft;
  return (
    <fieldset className={`console-card lexicon-rule ${isWrong ? 'wrong' : ''}`}>
      <legend className="hidden-visually">Rule {number}</legend>
      <Field
        label={`Rule ${number}`}
        value={name}
        aria-invalid={isWrong}
        placeholder="Such as: Gifts"
        set={(name) => change({ name })}
      />
      <Choice
        label="A text that matches"
        value={action}
        choose={(value) => change({ action: value as Action })}
        options={Object.entries(actionNames)}
      />
      <Choice
        label="Looks for"
        value={looksFor}
        choose={(value) => change({ looksFor: value as Draft['looksFor'] })}
        options={[
          ['phrases', 'These phrases'],
          ...detectors.map((each) => [each, detectorNames[each] ?? each] as const),
        ]}
      />
      <Button
        icon="trash"
        kind="quiet square lexicon-remove"
        aria-label={`Remove rule ${number}, ${name}`}
        onClick={remove}
      />
      {looksFor === 'phrases' && (
        <Lines
          label="Phrases, one per line"
          className="lexicon-phrases"
          rows={Math.min(8, Math.max(3, phrases.split('\n').length))}
          value={phrases}
          placeholder={'hot tip\ngift card'}
          set={(phrases) => change({ phrases })}
        />
      )}
    </fieldset>
  );
}

function History({ given, shown, load }: { given: Given; shown: number; load(version: number): void }) {
  const versions = [...given.history, { version: 0, dateTimeCreated: null, setBy: null }];
  return (
    <section className="console-card" aria-labelledby="lexicon-history">
      <h2 id="lexicon-history">Versions</h2>
      <ul className="lexicon-history">
        {versions.map(({ version, dateTimeCreated, setBy }) => (
          <li key={version} className="row">
            <span className="grow">
              <b>{versionName(version)}</b>
              {version === given.present && <span className="soft"> · in force</span>}
              {version > 0 && (
                <span className="small soft lexicon-who">
                  {setBy ?? 'An operator'}, <When at={dateTimeCreated} />
                </span>
              )}
            </span>
            <Button kind="small" disabled={version === shown} onClick={() => load(version)}>
              Edit from it
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function versionName(version: number): string {
  return version === 0 ? 'Built-in lexicon' : `Version ${version}`;
}
