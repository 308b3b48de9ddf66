import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { list } from '../../../../server/src/http/console/doubts.ts';
import { get, post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Dialog, FormDialog } from '../../look/dialog.tsx';
import { Lines } from '../../look/fields.tsx';
import { Broken } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { phoneWords } from '../../words/people.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { refresh } from '../lists.ts';
import { type Column, DataTable, whenColumn } from '../table.tsx';

type Doubt = RowOf<typeof list>;
type OpenDialog = { what: 'settle' | 'read'; doubt: Doubt };

const kinds: Record<string, string> = {
  text: 'An advisor’s text',
  consent_request: 'A consent request',
  reminder: 'A reminder',
  opt_in: 'A confirmation',
  opt_out: 'A confirmation',
  help: 'An answer to HELP',
};
const reasons: Record<string, string> = {
  timeout: 'The carrier didn’t answer in time',
  restored: 'The database was restored',
};

/** Texts that may or may not have been sent. Nothing here shows what they say. */
export function Doubts() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['/doubts'],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) => get<AnswerOf<typeof list>>('/doubts', { query: { before: pageParam } }),
    getNextPageParam: ({ before }) => before ?? undefined,
  });
  const [asked, ask] = useState<OpenDialog | null>(null);
  if (error && !data) return <Broken error={error} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>In doubt</h1>
      </header>
      <p className="soft prose">
        A carrier’s answer was lost, so nobody knows whether these texts arrived. They are never sent again by
        themselves. Receipts and the carrier’s records settle most within minutes; for the others, ask the carrier, then
        say here what it answered.
      </p>
      <DataTable
        name="texts in doubt"
        columns={columns}
        rows={data?.pages.flatMap((page) => page.data)}
        keyOf={({ messageId }) => messageId}
        more={{ has: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() }}
        empty="No text is in doubt."
        actions={(doubt) => (
          <span className="row-buttons">
            <Button kind="small" onClick={() => ask({ what: 'read', doubt })}>
              Read the text
            </Button>
            <Button kind="small" onClick={() => ask({ what: 'settle', doubt })}>
              Settle
            </Button>
          </span>
        )}
      />
      {asked?.what === 'settle' && <Settle doubt={asked.doubt} close={() => ask(null)} />}
      {asked?.what === 'read' && <Read doubt={asked.doubt} close={() => ask(null)} />}
    </div>
  );
}

const columns: Column<Doubt>[] = [
  whenColumn('Handed over', ({ submittedAt }) => submittedAt),
  { name: 'Advisor', text: ({ advisorName }) => advisorName, cell: ({ advisorName }) => <b>{advisorName}</b> },
  { name: 'Firm', text: ({ firmName }) => firmName },
  { name: 'What', text: ({ kind }) => kinds[kind] ?? 'A text' },
  { name: 'To', text: ({ phoneEnd }) => `… ${phoneEnd}` },
  { name: 'Carrier', text: ({ carrier }) => carrier },
  { name: 'Why', text: ({ code }) => (code && reasons[code]) || 'The answer was lost' },
];

function Settle({ doubt, close }: { doubt: Doubt; close(): void }) {
  const [as, choose] = useState<'sent' | 'not_sent' | null>(null);
  const run = async () => {
    await post(`/doubts/${doubt.advisorId}/${doubt.messageId}/settle`, { body: { as } });
    await refresh('/doubts', '/operations');
    toast(as === 'sent' ? 'It counts as sent.' : 'It counts as not sent.');
  };
  return (
    <FormDialog
      title={`${doubt.advisorName}’s text to … ${doubt.phoneEnd}`}
      action={as === null ? 'Settle it' : as === 'sent' ? 'It was sent' : 'It was not sent'}
      run={run}
      close={close}
      isReady={as !== null}
    >
      <fieldset className="choices decisions">
        <legend>What did {doubt.carrier ?? 'the carrier'} answer?</legend>
        <label>
          <input type="radio" name="as" checked={as === 'sent'} onChange={() => choose('sent')} />
          <span>
            <b>It has the text.</b> The text counts as sent, for its advisor, for the partner and in the archive. If a
            receipt still comes, it says more.
          </span>
        </label>
        <label>
          <input type="radio" name="as" checked={as === 'not_sent'} onChange={() => choose('not_sent')} />
          <span>
            <b>It never had the text.</b> The text counts as not sent because the carrier was down. The advisor sees
            that and can send it again; nothing is sent by itself.
          </span>
        </label>
      </fieldset>
      <p className="small soft">Your decision is an entry in the archive and can’t be changed.</p>
    </FormDialog>
  );
}

function Read({ doubt, close }: { doubt: Doubt; close(): void }) {
  const [reason, setReason] = useState('');
  const [found, show] = useState<{ text: string; phone: string } | null>(null);
  const run = async () => {
    show(await post(`/doubts/${doubt.advisorId}/${doubt.messageId}/read`, { body: { reason: reason.trim() } }));
    return 'stay';
  };
  if (found)
    return (
      <Dialog title={`To ${phoneWords(found.phone)}`} close={close}>
        <div className="form">
          <p className="preview">{found.text}</p>
          <div className="buttons">
            <Button kind="main" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <FormDialog title="Read the text" action="Read it" run={run} close={close} isReady={reason.trim().length >= 5}>
      <p>
        Operators don’t read texts. If the carrier needs to know what it says, write down why. Your name, the reason and
        the time go into {doubt.advisorName}’s archive for good.
      </p>
      <Lines label="Why do you need to read it?" rows={2} value={reason} data-autofocus set={setReason} />
    </FormDialog>
  );
}
