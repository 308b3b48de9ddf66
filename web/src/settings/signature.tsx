import { rooms } from '../../../server/src/domain/texting/segments.ts';
import type { set } from '../../../server/src/http/advisor/api/signatures.ts';
import { put } from '../api/http.ts';
import { client } from '../api/queries.ts';
import { sessionQuery, useSession } from '../api/session.ts';
import type { BodyOf } from '../api/types.ts';
import { useFormDraft } from '../inbox/drafts.ts';
import { Button } from '../look/button.tsx';
import { Lines } from '../look/fields.tsx';
import { toast } from '../shell/toasts.tsx';
import { countText } from '../words/encoding.ts';

const lengthMax = 160;

export function Signature() {
  const kept = useSession().signature ?? '';
  const [{ typed }, type, drop] = useFormDraft('signature', { typed: kept }, () => {});
  const text = typed.trim();
  const counted = countText(`\n${text}`);
  const save = async () => {
    try {
      await put('/signature', { body: { text } satisfies BodyOf<typeof set> });
      await client.invalidateQueries(sessionQuery);
      drop();
      toast(text ? 'Saved. New texts begin with it below them.' : 'Removed. New texts begin empty.');
    } catch (error) {
      toast((error as Error).message);
    }
  };
  return (
    <section className="section">
      <h2>Signature</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Lines
          label="Below every text that you write here, until you remove it"
          rows={2}
          value={typed}
          maxLength={lengthMax}
          placeholder="Your name, and how else to reach you"
          set={(typed) => (typed === kept ? drop() : type({ typed }))}
        />
        {text && (
          <figure className="preview">
            <figcaption className="small soft number">
              {counted.used} characters of each text. Texts that an application sends for you don’t have it.
            </figcaption>
            {counted.special[0] && (
              <p className="small tone warn">
                {counted.special[0].character} leaves every text room for {rooms['UCS-2'].alone} characters instead of{' '}
                {rooms['GSM-7'].alone}.
              </p>
            )}
            <div className="say out">{`I’ve put it in the calendar.\n${text}`}</div>
          </figure>
        )}
        <div className="row">
          <button type="submit" className="button" disabled={text === kept}>
            Save signature
          </button>
          {typed !== kept && (
            <Button kind="quiet" onClick={drop}>
              Discard changes
            </Button>
          )}
        </div>
      </form>
    </section>
  );
}
