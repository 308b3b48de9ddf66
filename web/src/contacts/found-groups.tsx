import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsQuery } from '../api/queries.ts';

/** So many are found by looking. */
const fewGroups = 20;

/** All groups, and those with what is typed into the field, which is there when they are many. */
export function useFoundGroups() {
  const groups = useQuery(groupsQuery).data?.data ?? [];
  const [typed, setTyped] = useState('');
  const found = groups.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  const search = groups.length > fewGroups && (
    <input
      type="search"
      className="plain-field find-group"
      aria-label="Find a group"
      placeholder="Find a group"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
  return { groups, found, search };
}
