import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { create } from '../../../server/src/http/advisor/api/saved-replies.ts';
import { post, remove } from '../api/http.ts';
import { client, savedRepliesQuery } from '../api/queries.ts';
import type { BodyOf, SavedReply } from '../api/types.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { toast } from '../shell/toasts.tsx';

const SavedReplyEditor = lazy(ahead(() => import('./saved-reply-editor.tsx')));

/** All of them, in the settings. */
export function SavedReplies() {
  const { data, error } = useQuery(savedRepliesQuery);
  const [edited, edit] = useState<SavedReply | { text: string } | null>(null);
  return (
    <section className="section" id="saved-replies">
      <div className="row">
        <h2 className="grow">Saved replies</h2>
        <Button icon="plus" kind="small" onClick={() => edit({ text: '' })}>
          New reply
        </Button>
      </div>
      {error && !data && <p className="soft">They didn’t load: {error.message}</p>}
      {data?.length === 0 && (
        <p className="soft">
          Keep texts that you often send, and choose one with <kbd>/</kbd> at the beginning of a text.
        </p>
      )}
      <ul>
        {data?.map((reply) => (
          <li className="row planned" key={reply.savedReplyId}>
            <div className="grow">
              <div className="cut">{reply.title}</div>
              <div className="small soft cut">{reply.text}</div>
            </div>
            <Button icon="pencil" kind="quiet square" aria-label={`Edit ${reply.title}`} onClick={() => edit(reply)} />
            <Button
              icon="trash"
              kind="quiet square"
              aria-label={`Delete ${reply.title}`}
              onClick={() => void drop(reply)}
            />
          </li>
        ))}
      </ul>
      <Suspense>{edited && <SavedReplyEditor given={edited} close={() => edit(null)} />}</Suspense>
    </section>
  );
}

async function drop({ savedReplyId, title, text }: SavedReply): Promise<void> {
  const again = () =>
    void post('/saved-replies', { body: { title, text } satisfies BodyOf<typeof create> }).then(renew, failed);
  await remove(`/saved-replies/${savedReplyId}`).then(
    () => toast(`Deleted “${title}”.`, { label: 'Undo', run: again }),
    failed,
  );
  renew();
}

function renew(): void {
  void client.invalidateQueries(savedRepliesQuery);
}

function failed(error: Error): void {
  toast(error.message);
}
