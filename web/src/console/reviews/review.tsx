import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { post, put } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Lines } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, StateScreen, Time } from '../../look/parts.tsx';
import { useChoiceKeys, useKeys } from '../../shell/keys.ts';
import { toast } from '../../shell/toasts.tsx';
import { count, firstName, phoneWords } from '../../words/people.ts';
import { dayAndTime } from '../../words/times.ts';
import { useKept } from '../kept.ts';
import { useSession } from '../session.ts';
import { decide, refresh } from './deciding.ts';
import { Margin } from './margin.tsx';
import { type ReviewDetail, reviewersQuery, reviewQuery } from './queries.ts';
import { Thread } from './thread.tsx';
import { type Choice, choicesOf } from './words.ts';

type Moves = {
  /** Where it is in the list that is shown, and how many that has. */
  place: number | null;
  total: number | undefined;
  /** So many are selected in the list: until they are decided, or no longer selected, this one isn't. */
  selected: number;
  clear(): void;
  step(by: number): void;
  decided(): void;
  back(): void;
};

export function OpenReview({ reviewId, ...moves }: { reviewId: number } & Moves) {
  const { data, error, refetch } = useQuery(reviewQuery(reviewId));
  if (error && !data)
    return (
      <div className="review-none">
        {(error as { status?: number }).status === 404 ? (
          <StateScreen icon="search" title="No such review">
            There is no review at this address, or it is another firm’s.
          </StateScreen>
        ) : (
          <Broken error={error} retry={() => void refetch()} />
        )}
      </div>
    );
  if (!data)
    return (
      <section className="review" aria-label="Loading" role="status">
        <div className="skeleton review-skeleton" />
      </section>
    );
  return <Loaded review={data} {...moves} />;
}

function Loaded({ review, place, total, back, ...moves }: { review: ReviewDetail } & Moves) {
  const { reviewId, kind, name, phone, advisorName, archiveNumber, dateTime, effect } = review;
  const who = name ?? phoneWords(phone);
  const isReply = !['held', 'blocked', 'sample'].includes(kind) && review.thread?.data.some(isReviewedReply(review));
  const body = useRef<HTMLElement>(null);
  useEffect(() => {
    const reviewed = body.current?.querySelector(`[data-entry="${archiveNumber}"]`);
    reviewed?.scrollIntoView({ block: 'center' });
  }, [archiveNumber]);
  return (
    <section className="review" aria-label={`Review of ${who}`} ref={body}>
      <header className="top">
        <Button icon="chevron-left" kind="quiet square review-back" aria-label="All reviews" onClick={back} />
        <div className="grow">
          <h1 className="cut">{isReply ? `${who} → ${advisorName}` : `${advisorName} → ${who}`}</h1>
          <p className="small soft cut">
            {isReply ? 'Reply' : 'Text'} of <Time at={Date.parse(dateTime)}>{dayAndTime(Date.parse(dateTime))}</Time> ·
            entry {archiveNumber.toLocaleString('en-US')}
            {effect && effect.heldTexts > 0 && ` · held: ${count(effect.heldTexts, 'text')} to ${firstName(who)}`}
          </p>
        </div>
        <span className="small soft number review-place">
          {place && total ? `${place} of ${total.toLocaleString('en-US')}` : ''}
        </span>
        <Button
          icon="chevron-up"
          kind="quiet square small"
          aria-label="Previous review"
          onClick={() => moves.step(-1)}
        />
        <Button icon="chevron-down" kind="quiet square small" aria-label="Next review" onClick={() => moves.step(1)} />
      </header>
      <Thread review={review} />
      <Margin review={review} />
      <Decide review={review} key={reviewId} {...moves} />
    </section>
  );
}

function isReviewedReply({ archiveNumber }: ReviewDetail) {
  return (item: { type: string; archiveNumber: number }) =>
    item.type === 'reply' && item.archiveNumber === archiveNumber;
}

/** What can be decided, and what each decision will do. */
function Decide({
  review,
  selected,
  clear,
  decided,
  step,
}: { review: ReviewDetail } & Omit<Moves, 'place' | 'total' | 'back'>) {
  const { reviewId, status, pending, refusal } = review;
  const [writes, write] = useState<'note' | 'escalation' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [unfinished] = useKept<string>(`note ${reviewId}`);
  const choices = choicesOf(review);
  const mayDecide = status === 'open' && !pending && !refusal && !isBusy && selected === 0;
  const choose = async ({ decision, done }: Choice) => {
    if (!mayDecide) return;
    setBusy(true);
    const isHeld = await decide(reviewId, decision, '', done);
    setBusy(false);
    if (isHeld) decided();
  };
  const isOpen = status === 'open' && !pending;
  useChoiceKeys(selected > 0 ? [] : choices, choose);
  useKeys({
    n: () => write('note'),
    e: () => isOpen && !review.escalatedAt && write('escalation'),
  });
  return (
    <footer className="decide">
      <div className="row wrap">
        {isOpen &&
          choices.map((choice, index) => (
            <button
              type="button"
              key={choice.key}
              className={`button decision ${index === 0 ? 'main' : ''}`}
              disabled={!mayDecide}
              onClick={() => void choose(choice)}
            >
              <Icon name={choice.decision === 'approved' ? (choice.key === 'x' ? 'message-2' : 'check') : 'ban'} />
              {choice.name} {selected === 0 && <kbd>{choice.key.toUpperCase()}</kbd>}
            </button>
          ))}
        <Button
          icon="note"
          kind="quiet decision"
          title={unfinished ? 'You haven’t finished it' : undefined}
          aria-label={unfinished ? 'Note, not finished' : undefined}
          onClick={() => write('note')}
        >
          {unfinished ? 'Note …' : 'Note'} <kbd>N</kbd>
        </Button>
        {isOpen && <Handing review={review} escalate={() => write('escalation')} />}
        <Button kind="quiet decision by-key" onClick={() => step(1)}>
          Skip <kbd>J</kbd>
        </Button>
      </div>
      {isOpen && selected > 0 ? (
        <p className="small soft" role="status">
          {count(selected, 'review is', 'reviews are')} selected in the list, and decided there.{' '}
          <button type="button" className="link" onClick={clear}>
            Clear the selection
          </button>{' '}
          to decide this one.
        </p>
      ) : (
        <Consequences review={review} choices={choices} />
      )}
      {writes && <Writing review={review} what={writes} close={() => write(null)} />}
    </footer>
  );
}

function Consequences({ review, choices }: { review: ReviewDetail; choices: Choice[] }) {
  const { staff } = useSession();
  const { pending, status, decidedBy, decidedAt, refusal } = review;
  if (pending)
    return (
      <p className="small soft" role="status">
        <b>
          {pending.staffId === staff.staffId ? 'You have' : `${pending.by} has`} just{' '}
          {pending.decision === 'approved' ? 'approved' : 'rejected'} this.
        </b>{' '}
        It takes effect in a few seconds
        {pending.staffId === staff.staffId ? (
          <>
            ; <kbd>Z</kbd> undoes.
          </>
        ) : (
          '.'
        )}
      </p>
    );
  if (status !== 'open')
    return (
      <p className="small soft">
        <b>{status === 'approved' ? 'Approved' : 'Rejected'}</b> by {decidedBy}
        {decidedAt && `, ${dayAndTime(Date.parse(decidedAt))}`}. A review is decided once; notes can be added.
      </p>
    );
  if (refusal)
    return (
      <p className="hint warn">
        <Icon name="lock" />
        {refusal}
      </p>
    );
  return (
    <p className="small soft consequences">
      {choices.map(({ key, name, does }) => (
        <span key={key}>
          <b>{name}:</b> {does}
        </span>
      ))}
      <span>
        Either takes effect after 8 s
        <span className="by-key">
          ; <kbd>Z</kbd> undoes
        </span>
        .
      </span>
    </p>
  );
}

/** To somebody else: a colleague, or a compliance officer. */
function Handing({ review, escalate }: { review: ReviewDetail; escalate(): void }) {
  const { staff } = useSession();
  const { data } = useQuery(reviewersQuery);
  const { reviewId, assignedTo, escalatedAt } = review;
  const assign = async (staffId: number | null, words: string, isUndo = false): Promise<void> => {
    try {
      await put(`/reviews/${reviewId}/assignee`, { body: { staffId } });
      if (isUndo) toast('Undone.');
      else toast(words, { label: 'Undo', run: () => void assign(assignedTo, '', true) });
    } catch (error) {
      toast((error as Error).message);
    }
    await refresh();
  };
  const giveBack = async () => {
    await put(`/reviews/${reviewId}/escalation`, { body: { escalated: false } }).then(
      () => toast('Reviewers can decide it again.'),
      (error) => toast(error.message),
    );
    await refresh();
  };
  return (
    <Menu position="top-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button
          icon="user-plus"
          kind="quiet decision"
          title="Assign or escalate"
          aria-label={review.assignedName ? `Assigned to ${review.assignedName}` : 'Assign or escalate'}
        >
          {review.assignedName}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Assign to</Menu.Label>
        {data
          ?.filter(({ staffId }) => staffId !== assignedTo)
          .map(({ staffId, name }) => (
            <Menu.Item key={staffId} onClick={() => void assign(staffId, `Assigned to ${name}.`)}>
              {staffId === staff.staffId ? 'Me' : name}
            </Menu.Item>
          ))}
        {assignedTo !== null && <Menu.Item onClick={() => void assign(null, 'Assigned to nobody.')}>Nobody</Menu.Item>}
        <Menu.Divider />
        {!escalatedAt && (
          <Menu.Item leftSection={<Icon name="arrow-up" />} onClick={escalate}>
            Escalate to a compliance officer
          </Menu.Item>
        )}
        {escalatedAt && staff.role === 'compliance_officer' && (
          <Menu.Item leftSection={<Icon name="arrow-down" />} onClick={() => void giveBack()}>
            Give back to reviewers
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Writing({ review, what, close }: { review: ReviewDetail; what: 'note' | 'escalation'; close(): void }) {
  const [kept, keep] = useKept<string>(`${what} ${review.reviewId}`);
  const text = kept ?? '';
  const isNote = what === 'note';
  const isReady = !isNote || text.trim() !== '';
  const save = async () => {
    const note = text.trim();
    if (isNote) await post(`/reviews/${review.reviewId}/notes`, { body: { note } });
    else
      await put(`/reviews/${review.reviewId}/escalation`, {
        body: { escalated: true, ...(note ? { note } : {}) },
      });
    keep(null);
    toast(isNote ? 'Noted.' : 'Escalated: a compliance officer decides it.');
    void refresh();
  };
  return (
    <FormDialog
      title={isNote ? 'Add a note' : 'Escalate to a compliance officer'}
      action={isNote ? 'Add note' : 'Escalate'}
      isReady={isReady}
      run={save}
      close={close}
      cancel={text ? 'Keep for later' : 'Cancel'}
    >
      <Lines
        label={isNote ? 'Note' : 'Why, if it helps'}
        rows={4}
        data-autofocus
        value={text}
        set={(text) => keep(text || null)}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (isReady && key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
        }}
      />
      <p className="small soft">
        {isNote
          ? 'It is an archive entry with your name, and can’t be changed.'
          : 'From then on only a compliance officer can decide it, or give it back. It is an archive entry with your name.'}
      </p>
    </FormDialog>
  );
}
