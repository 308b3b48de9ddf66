import { useRef } from 'react';
import { textLengthMax } from '../../../server/src/domain/shared/text/text-rules.ts';
import type { create } from '../../../server/src/http/advisor/api/saved-replies.ts';
import { post, put } from '../api/http.ts';
import { client, savedRepliesQuery } from '../api/queries.ts';
import type { BodyOf, SavedReply } from '../api/types.ts';
import { useFormDraft } from '../inbox/drafts.ts';
import { useKeyOf } from '../inbox/outbox.ts';
import { Button } from '../look/button.tsx';
import { insertAtCaret } from '../look/caret.ts';
import { FormDialog } from '../look/dialog.tsx';
import { Field, Lines } from '../look/fields.tsx';
import { toast } from '../shell/toasts.tsx';
import { countText } from '../words/encoding.ts';
import { count } from '../words/people.ts';
import { type FieldName, fieldWords, fillFields } from './fields.tsx';

const titleLengthMax = 80;
const example = { firstName: 'Ana', lastName: 'Ortiz', nickname: 'Annie' };

type Props = {
  /** One that is there, or what a new one begins with. */
  given: SavedReply | { text: string };
  /** Whom the text was written to: their name would be wrong for everybody else. */
  writtenTo?: string | null;
  close(): void;
};

export default function SavedReplyEditor({ given, writtenTo = null, close }: Props) {
  const known = 'savedReplyId' in given ? given : null;
  const [{ title, text }, type, done] = useFormDraft(
    `reply-${known?.savedReplyId ?? given.text}`,
    { title: known?.title ?? '', text: given.text },
    close,
  );
  const setText = (text: string) => type({ text });
  const field = useRef<HTMLTextAreaElement>(null);
  const keyOf = useKeyOf();
  const { text: filled } = fillFields(text, example);
  const { missing } = fillFields(text, {});
  const general = writtenTo && withoutName(text, writtenTo);

  const save = async () => {
    const body = { title: title.trim(), text: text.trim() } satisfies BodyOf<typeof create>;
    if (known) await put(`/saved-replies/${known.savedReplyId}`, { body });
    else await post('/saved-replies', { body, idempotencyKey: keyOf(body) });
    void client.invalidateQueries(savedRepliesQuery);
    toast(`Saved “${body.title}”.`);
  };
  const insert = (name: FieldName) => {
    field.current?.focus();
    insertAtCaret(field.current, text, `{${name}}`, setText);
  };
  return (
    <FormDialog
      title={known ? 'Saved reply' : 'New saved reply'}
      action="Save"
      run={save}
      close={done}
      isReady={title.trim() !== '' && text.trim() !== ''}
    >
      <Field
        label="Title"
        value={title}
        placeholder="How you find it"
        maxLength={titleLengthMax}
        required
        data-autofocus
        set={(title) => type({ title })}
      />
      <Lines label="Text" field={field} rows={4} value={text} maxLength={textLengthMax} required set={setText} />
      <div className="row wrap">
        {Object.entries(fieldWords).map(([name, word]) => (
          <Button kind="small" key={name} onClick={() => insert(name as FieldName)}>
            {word}
          </Button>
        ))}
        {general && (
          <button type="button" className="link small" onClick={() => setText(general)}>
            Use a field instead of “{writtenTo}”
          </button>
        )}
      </div>
      {text.trim() !== '' && (
        <figure className="preview">
          <figcaption className="small soft">
            For Ana Ortiz, called Annie · {count(countText(filled).segments, 'text')}
          </figcaption>
          <div className="say out">{filled}</div>
        </figure>
      )}
      {missing.length > 0 && (
        <p className="small soft">
          If somebody has no {fieldWords[missing[0] ?? 'nickname'].toLowerCase()}, you are asked before it is sent. Or
          write what stands in for it: <code>{`{${missing[0]}|there}`}</code>
        </p>
      )}
    </FormDialog>
  );
}

/** The same with a field in the name's place; null if it has no such word. */
function withoutName(text: string, name: string): string | null {
  const general = text.replace(/\p{L}+/gu, (word) => (word === name ? '{firstName|there}' : word));
  return general === text ? null : general;
}
