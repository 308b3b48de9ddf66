import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { search } from '../../../../server/src/http/console/people.ts';
import { post } from '../../api/http.ts';
import { Icon } from '../../look/icons.tsx';
import { Face } from '../../look/parts.tsx';
import { phoneWords, readPhone } from '../../words/people.ts';
import type { RowOf } from '../answers.ts';

export type Person = RowOf<typeof search>;

/** Finds somebody whom an advisor of the firm knows. */
export function PersonField({ label, choose }: { label: string; choose(person: Person): void }) {
  const [text, setText] = useState('');
  const wanted = text.trim();
  const { data, isFetching } = useQuery({
    queryKey: ['people', wanted],
    queryFn: async () =>
      (await post<{ data: Person[] }>('/people/search', { body: { text: readPhone(wanted) ?? wanted } })).data,
    enabled: wanted.length > 1,
    placeholderData: (before) => before,
  });
  return (
    <div className="person-field">
      <label className="label">
        {label}
        <span className="field">
          <Icon name="search" />
          <input
            type="search"
            value={text}
            placeholder="Name, number or id"
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
          />
        </span>
      </label>
      {wanted.length > 1 && data && (
        <ul className="person-choices" aria-label="People" aria-busy={isFetching}>
          {data.map((person) => (
            <li key={`${person.advisorId}-${person.memberId}`}>
              <button
                type="button"
                onClick={() => {
                  setText('');
                  choose(person);
                }}
              >
                <Face name={person.name} phone={person.phone} size="tiny" />
                <span className="grow">
                  <b>{person.name ?? phoneWords(person.phone)}</b>
                  <span className="small soft">
                    {phoneWords(person.phone)} · {person.advisor}
                  </span>
                </span>
              </button>
            </li>
          ))}
          {data.length === 0 && (
            <li className="small soft">Nobody in the advisors’ books. Who was deleted there is found by number.</li>
          )}
        </ul>
      )}
    </div>
  );
}
