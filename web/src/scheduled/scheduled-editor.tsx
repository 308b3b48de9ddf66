import { useQuery } from '@tanstack/react-query';
import { now } from '../api/clock.ts';
import { put } from '../api/http.ts';
import { refresh } from '../api/live.ts';
import { client, nextDatesQuery, scheduledQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ScheduledMessage } from '../api/types.ts';
import { useFormDraft } from '../inbox/drafts.ts';
import { Button } from '../look/button.tsx';
import { FormDialog } from '../look/dialog.tsx';
import { Field, Lines } from '../look/fields.tsx';
import { toast } from '../shell/toasts.tsx';
import { countText } from '../words/encoding.ts';
import { count, phoneWords } from '../words/people.ts';
import { instantOf, nextTimes, wallTime } from '../words/schedules.ts';
import { cityOf, whenTime } from '../words/times.ts';
import { RepeatField } from './repeat-field.tsx';

export type EditableText = Pick<
  ScheduledMessage,
  'scheduledMessageId' | 'memberId' | 'phone' | 'text' | 'deliveryDate' | 'frequency'
>;
const shownTimes = 5;

export default function ScheduledEditor({
  scheduled,
  name,
  close,
  cancel,
}: {
  scheduled: EditableText;
  name: string | null;
  close(): void;
  cancel?(): void;
}) {
  const { timeZone } = useAdvisor();
  const [{ text, wall, frequency }, type, done] = useFormDraft(
    `scheduled-${scheduled.scheduledMessageId}`,
    { text: scheduled.text, wall: wallTime(scheduled.deliveryDate, timeZone), frequency: scheduled.frequency },
    close,
  );
  const at = instantOf(wall, timeZone);
  const isMoved = wall !== wallTime(scheduled.deliveryDate, timeZone);
  const isAsItWas = !isMoved && frequency === scheduled.frequency;
  // Only the server knows what a repetition began with: after February 28, the 31st is March 31 again.
  const { data } = useQuery(nextDatesQuery(scheduled.scheduledMessageId));
  const times = isAsItWas ? (data ?? []) : at ? nextTimes(at, frequency, timeZone, shownTimes) : [];
  const { used, room, segments } = countText(text);
  const save = async () => {
    // Without a new time, the server knows whether the old one has come.
    if (!at || (isMoved && at <= now())) throw new Error('Choose a time that is still to come.');
    // Only what was changed: a new date would begin the repetition anew.
    await put(`/v1/text/messaging/scheduled-messages/${scheduled.scheduledMessageId}`, {
      body: {
        ...(text !== scheduled.text && { text }),
        ...(isMoved && { deliveryDate: at }),
        ...(frequency !== scheduled.frequency && { frequency }),
      },
    });
    toast('Saved.');
    refresh(scheduled.memberId);
    void client.invalidateQueries({ queryKey: scheduledQuery.queryKey });
  };
  return (
    <FormDialog
      title={`Scheduled for ${name ?? phoneWords(scheduled.phone)}`}
      action="Save"
      cancel="Keep as it was"
      run={save}
      close={done}
      other={
        cancel && (
          <Button kind="quiet bad" style={{ marginRight: 'auto' }} onClick={cancel}>
            Cancel the text
          </Button>
        )
      }
    >
      <Lines label="Text" rows={4} value={text} required data-autofocus set={(text) => type({ text })} />
      <div className="small soft number">
        {used} of {room} · {count(segments, 'text')}
      </div>
      <div className="two">
        <Field
          label={`Date and time in ${cityOf(timeZone)}`}
          type="datetime-local"
          value={wall}
          required
          set={(wall) => type({ wall })}
        />
        <RepeatField frequency={frequency} choose={(frequency) => type({ frequency })} />
      </div>
      {frequency !== 0 && (
        <p className="small soft number">Next: {times.map((each) => whenTime(each, now(), timeZone)).join(' · ')}</p>
      )}
    </FormDialog>
  );
}
