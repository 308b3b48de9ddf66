import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { savedRepliesQuery } from '../api/queries.ts';
import type { SavedReply } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';

type Props = {
  fill(text: string): string;
  choose(reply: SavedReply): void;
  /** Null while there is nothing to save. */
  save: (() => void) | null;
  /** What was typed before it was there. */
  begun?: string;
  /** Somebody wants a text that begins with a slash. */
  slash(): void;
};

/** Filtered by typing, moved in with the arrows, chosen with Enter. */
export default function SavedReplyPicker({ fill, choose, save, begun = '', slash }: Props) {
  const { data, error } = useQuery(savedRepliesQuery);
  const [typed, setTyped] = useState(begun);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => field.current?.focus(), []);
  const found = (data ?? []).filter((reply) => matches(reply, typed));
  const active = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    const reply = found[active];
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: found.length - 1 }[event.key];
    if (next !== undefined) setAt((next + found.length) % found.length || 0);
    else if (event.key === 'Enter' && reply) choose(reply);
    else return;
    event.preventDefault();
  };
  return (
    <div className="library">
      <div className="field">
        <Icon name="search" />
        <input
          type="search"
          role="combobox"
          aria-label="Search your saved replies"
          aria-expanded={found.length > 0}
          aria-controls="saved-replies"
          aria-activedescendant={found.length > 0 ? `saved-reply-${active}` : undefined}
          placeholder="Your saved replies"
          value={typed}
          onChange={({ target }) => {
            if (target.value === '/') return slash();
            setTyped(target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          ref={field}
        />
      </div>
      {error && !data && <p className="small soft">Your replies didn’t load. Try again in a moment.</p>}
      {data && found.length === 0 && (
        <p className="small soft">
          {data.length > 0 ? `None of them has “${typed.trim()}”.` : 'Texts that you often send are kept here.'}
        </p>
      )}
      <div
        role="listbox"
        className="options"
        id="saved-replies"
        aria-label="Saved replies"
        ref={list}
        hidden={found.length === 0}
      >
        {found.map((reply, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field above has the focus and the keys
          <div
            key={reply.savedReplyId}
            id={`saved-reply-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => choose(reply)}
          >
            <div className="cut">{reply.title}</div>
            <div className="small soft cut">{fill(reply.text)}</div>
          </div>
        ))}
      </div>
      <div className="row">
        {save && (
          <Button kind="quiet small" onClick={save}>
            Save as reply
          </Button>
        )}
        <Link to="/settings" hash="saved-replies" className="button quiet small end">
          {data?.length === 0 ? 'New reply' : 'Edit replies'}
        </Link>
      </div>
    </div>
  );
}

function matches({ title, text }: SavedReply, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/);
  const all = `${title} ${text}`.toLowerCase();
  return words.every((word) => all.includes(word));
}
