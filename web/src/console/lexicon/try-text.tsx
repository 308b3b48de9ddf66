import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/http.ts';
import { Marked } from '../reviews/thread.tsx';
import { outcomeNames, type Rule, type Trial } from './rules.ts';

const typingMs = 250;

/** What would happen to a text by the rules as they are being edited. */
export function TryText({ rules }: { rules: Rule[] }) {
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, typingMs);
  const [tried] = useDebouncedValue(JSON.stringify(rules), typingMs);
  const { data, error } = useQuery({
    queryKey: ['lexicon', 'trial', tried, text],
    queryFn: () => post<Trial>('/lexicon/trial', { body: { rules: JSON.parse(tried), text } }),
    enabled: text.trim() !== '',
    retry: false,
    staleTime: 60_000,
  });
  const isShown = typed.trim() !== '';
  return (
    <section className="console-card lexicon-try" aria-labelledby="lexicon-try">
      <h2 id="lexicon-try">Try a text</h2>
      <textarea
        className="plain-field"
        rows={3}
        aria-label="A text to try"
        placeholder="This fund can only go up."
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div role="status">
        {isShown && error && <p className="small tone bad">{error.message}</p>}
        {isShown && data && !error && (
          <>
            <p>
              {data.action ? (
                <>
                  It would be <b>{outcomeNames[data.action]}</b>: {data.rules.join(', ')}.
                </>
              ) : (
                'Nothing is found in it: it would go out.'
              )}
            </p>
            {data.marks.length > 0 && text === typed && (
              <p className="soft lexicon-marked">
                <Marked text={text} marks={data.marks} />
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}
