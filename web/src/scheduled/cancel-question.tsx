import { remove } from '../api/http.ts';
import { refresh } from '../api/live.ts';
import { client, scheduledQuery } from '../api/queries.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { toast } from '../shell/toasts.tsx';
import type { EditableText } from './scheduled-editor.tsx';

export default function CancelQuestion({
  scheduled,
  name,
  close,
}: {
  scheduled: EditableText;
  name: string;
  close(): void;
}) {
  const confirm = async () => {
    close();
    await remove(`/v1/text/messaging/scheduled-messages/${scheduled.scheduledMessageId}`).then(
      () => toast('Canceled: it won’t be sent.'),
      (error) => toast(error.message),
    );
    refresh(scheduled.memberId);
    void client.invalidateQueries({ queryKey: scheduledQuery.queryKey });
  };
  return (
    <Dialog close={close} title={`Cancel this text to ${name}?`}>
      <p className="soft">“{scheduled.text}”</p>
      <p style={{ marginTop: 8 }}>
        {scheduled.frequency ? 'It won’t be sent again, now or later.' : 'It won’t be sent.'}
      </p>
      <div className="buttons" style={{ marginTop: 16 }}>
        <Button onClick={close} data-autofocus>
          Keep it
        </Button>
        <Button kind="bad" onClick={() => void confirm()}>
          Cancel the text
        </Button>
      </div>
    </Dialog>
  );
}
