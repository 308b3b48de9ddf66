import { useQuery } from '@tanstack/react-query';
import { useNow } from '../api/clock.ts';
import { evidenceQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ConsentEvidence, Conversation } from '../api/types.ts';
import { Dialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { Fact, Loading, Time } from '../look/parts.tsx';
import { firstName } from '../words/people.ts';
import { channelWords, consentEvent, evidenceWords } from '../words/states.ts';
import { pastTime } from '../words/times.ts';

type Props = {
  conversation: Conversation /** The item in the thread that it is about. */;
  shown: string | null;
  close(): void;
};

/** What was asked, what they answered, and who wrote it down, for each change of consent. */
export default function Evidence({ conversation: { memberId, name }, shown, close }: Props) {
  const { data, error } = useQuery(evidenceQuery(memberId));
  const opened = data?.some(({ id }) => id === shown) ? shown : data?.[0]?.id;
  return (
    <Dialog title="Consent on record" close={close}>
      {error && !data && <p className="soft">It didn’t load: {error.message}</p>}
      {!data && !error && <Loading height={200} />}
      <div className="evidence">
        {data?.map((each) => (
          <Change key={each.id} change={each} name={name} isOpen={each.id === opened} />
        ))}
        {data?.length === 0 && <p className="soft">Nothing was asked, and nothing was recorded.</p>}
      </div>
    </Dialog>
  );
}

function Change({ change, name, isOpen }: { change: ConsentEvidence; name: string | null; isOpen: boolean }) {
  const { timeZone, firmName } = useAdvisor();
  const now = useNow();
  const { state, previousState, reason, dateTime, wording, reply, proof, isKept, channel, archiveNumber } = change;
  const { word, icon, tone } = consentEvent(firstName(name), state, previousState, reason);
  const moment = (at: number) => (
    <Time at={at} zone={timeZone}>
      {pastTime(at, now, timeZone)}
    </Time>
  );
  const how = evidenceWords(reason);
  return (
    <details open={isOpen}>
      <summary className="row">
        <span className={`tone ${tone}`}>
          <Icon name={icon} />
        </span>
        <span className="grow">{word}</span>
        <span className="small soft">{moment(dateTime)}</span>
      </summary>
      <div className="preview">
        {wording && (
          <>
            <span className="small soft">What they were asked, {moment(wording.shown)}</span>
            <div className="say out">{wording.text}</div>
          </>
        )}
        {reply && (
          <>
            <span className="small soft">What they wrote, {moment(reply.sent)}</span>
            <div className="say in">{reply.text}</div>
          </>
        )}
        {proof && (
          <>
            <span className="small soft">What your firm wrote down</span>
            <p>{proof}</p>
          </>
        )}
        {!wording && !reply && !proof && (
          <p className="small soft">
            {isKept ? 'There is no text that belongs to it.' : 'The texts are no longer kept. The change itself is.'}
          </p>
        )}
        <dl className="facts">
          <Fact name="How">
            {channelWords[channel]}
            {/by text/.test(how) ? '' : how}
          </Fact>
          <Fact name={state === 'pending' ? 'Asked' : 'Since'}>{moment(dateTime)}</Fact>
          <Fact name="Recorded by">{recorderOf(change, firmName)}</Fact>
          {wording && (
            <Fact name="Wording">
              {wording.version === 0 ? 'The usual one' : `Version ${wording.version} of your firm’s`}
            </Fact>
          )}
          <dt>Archive</dt>
          <dd className="number">Entry {archiveNumber.toLocaleString('en-US')}</dd>
        </dl>
      </div>
    </details>
  );
}

function recorderOf({ by, byName }: ConsentEvidence, firmName: string): string {
  const words: Record<ConsentEvidence['by'], string> = {
    person: 'Assent, from their text',
    advisor: 'You',
    application: byName ?? 'An application',
    staff: `${byName ?? 'Somebody'} of ${firmName}`,
    carrier: 'Their carrier',
    operator: 'Your firm’s operator',
    service: 'Assent',
  };
  return words[by];
}
