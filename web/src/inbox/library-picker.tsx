import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { contentQuery } from '../api/queries.ts';
import { Icon } from '../look/icons.tsx';

export default function LibraryPicker({ choose }: { choose(text: string): void }) {
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 250);
  const { data, error } = useQuery(contentQuery(text));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div className="library">
      <div className="field">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search your firm’s library"
          placeholder="Your firm’s library"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          ref={field}
        />
      </div>
      {error && !data && <p className="small soft">The library didn’t load. Try again in a moment.</p>}
      {data?.data.length === 0 && (
        <p className="small soft">{text ? `Nothing about “${text}”.` : 'Your firm hasn’t published anything yet.'}</p>
      )}
      <ul>
        {data?.data.map(({ title, url }) => (
          <li key={url}>
            <button type="button" onClick={() => choose(url)}>
              <div className="cut">{title ?? url}</div>
              <div className="small soft cut">{url}</div>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
