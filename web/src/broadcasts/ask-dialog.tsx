import './broadcasts.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { startConsent } from '../../../server/src/http/advisor/api/broadcasts.ts';
import { useNow } from '../api/clock.ts';
import { isInDoubt, post } from '../api/http.ts';
import { client } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { AnswerOf, BodyOf } from '../api/types.ts';
import { newKey } from '../inbox/outbox.ts';
import { FormDialog } from '../look/dialog.tsx';
import { Wrong } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Loading } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';
import { whenTime } from '../words/times.ts';
import { type ContactChoice, type RequestCheck, requestCheckQuery } from './queries.ts';
import { codeWords } from './words.ts';

type Start = { key: string; body: BodyOf<typeof startConsent> };

/** Many people are asked for their consent: whom, in which words, and who is left out, before anything is sent. */
export default function AskDialog({ whom, close }: { whom: ContactChoice; close(): void }) {
  const { data: check, error } = useQuery(requestCheckQuery(whom));
  const navigate = useNavigate();
  /** Without an answer, it is repeated with its key: nobody is asked twice. */
  const unanswered = useRef<Start | null>(null);
  const asked = check?.asked ?? 0;
  const start = async () => {
    if (!check) return;
    const isFirstTry = unanswered.current === null;
    unanswered.current ??= { key: newKey(), body: { whom, version: check.version } };
    const { key, body } = unanswered.current;
    try {
      const { broadcastId } = await post<AnswerOf<typeof startConsent>>('/broadcasts/consent', {
        body,
        idempotencyKey: key,
      });
      const show = () => void navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId } });
      toast(`${count(asked, 'person is', 'people are')} being asked.`, { label: 'Follow it', run: show });
      void client.invalidateQueries({ queryKey: ['broadcasts'] });
    } catch (failed) {
      if (isInDoubt(failed, isFirstTry))
        throw new Error('No answer from the server. Try again: nobody is asked twice.');
      unanswered.current = null;
      throw failed;
    } finally {
      void client.invalidateQueries({ queryKey: ['broadcast-check'] });
    }
  };
  return (
    <FormDialog
      title={asked > 0 ? `Ask ${count(asked, 'person', 'people')} for consent?` : 'Ask for consent'}
      action={asked > 0 ? `Ask ${count(asked, 'person', 'people')}` : 'Ask'}
      isReady={asked > 0 || unanswered.current !== null}
      run={start}
      close={close}
    >
      {check ? <Requests check={check} /> : error ? <Wrong>{error.message}</Wrong> : <Loading height={32} bars={3} />}
    </FormDialog>
  );
}

function Requests({ check: { asked, later, earliest, again, leftOut, text } }: { check: RequestCheck }) {
  const { firmName, timeZone } = useAdvisor();
  const now = useNow();
  const others = leftOut.reduce((sum, { people }) => sum + people, 0);
  return (
    <>
      {asked === 0 && <p>Nobody here can be asked now.</p>}
      {asked > 0 && (
        <section aria-labelledby="ask-wording">
          <h3 id="ask-wording" className="eyebrow">
            {asked === 1 ? 'They read' : 'Each of them reads'}
          </h3>
          <blockquote className="broadcast-quote broadcast-text ask-wording">{text}</blockquote>
          <ul className="broadcast-totals">
            {asked > later && (
              <li>
                <Icon name="send" size={16} />
                {count(asked - later, 'person is', 'people are')} asked now
              </li>
            )}
            {later > 0 && earliest && (
              <li>
                <Icon name="moon" size={16} />
                {count(later, 'person is', 'people are')} asked from {whenTime(earliest, now, timeZone)}, when it is day
                where they are
              </li>
            )}
            {again > 0 && (
              <li>
                <Icon name="hourglass" size={16} />
                {count(again, 'person was', 'people were')} asked before and didn’t answer
              </li>
            )}
          </ul>
        </section>
      )}
      {others > 0 && (
        <section aria-labelledby="ask-left-out">
          <h3 id="ask-left-out" className="eyebrow">
            {count(others, 'person is', 'people are')} left out
          </h3>
          <ul className="ask-left-out">
            {leftOut.map(({ code, people }) => (
              <li key={code} className="row">
                {codeWords[code]} <b className="number end">{people.toLocaleString('en-US')}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
      {asked > 0 && (
        <p className="small soft">
          It goes on without this page, and can be stopped under “Texts to groups”. Each request is archived for{' '}
          {firmName}.
        </p>
      )}
    </>
  );
}
