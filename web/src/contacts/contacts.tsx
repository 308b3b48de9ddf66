import './contacts.css';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { remove } from '../api/http.ts';
import {
  type ContactFilter,
  client,
  consentsQuery,
  contactsPageSize,
  contactsQuery,
  findByPhone,
  groupsQuery,
} from '../api/queries.ts';
import type { ConsentSearchResult, ConsentState, ContactSummary, NumberedPage } from '../api/types.ts';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face, StateScreen } from '../look/parts.tsx';
import { useKeys } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { phoneWords } from '../words/people.ts';
import { consentWords } from '../words/states.ts';
import ContactEditor from './contact-editor.tsx';
import { GroupEditor } from './group-editor.tsx';

const rowHeight = 48;
const typingMs = 250;
/** More than there can be on a screen at a time. */
const rowsMax = 100;
/** A delete waits this long before anybody else hears of it. */
const undoMs = 8_000;

const columns: { key: ContactFilter['sortBy'] | null; name: string; isWide?: boolean }[] = [
  { key: 'fullName', name: 'Name' },
  { key: null, name: 'Phone' },
  { key: null, name: 'Texting', isWide: true },
  { key: 'email', name: 'Email', isWide: true },
  { key: 'groupCount', name: 'Groups', isWide: true },
];

export function Contacts() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const [groupId, setGroupId] = useState<number | undefined>();
  const [sort, setSort] = useState<Pick<ContactFilter, 'sortBy' | 'sortDirection'>>({
    sortBy: 'fullName',
    sortDirection: 'asc',
  });
  const [edited, edit] = useState<{ contactId: number | null } | null>(null);
  const [isGroupNew, makeGroup] = useState(false);
  const [leaving, setLeaving] = useState<ReadonlySet<number>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  const filter: ContactFilter = { search, groupId, ...sort };
  const first = useQuery(contactsQuery(filter, 1));
  const groups = useQuery(groupsQuery).data?.data ?? [];
  const total = first.data?.pageInfo.totalRecord;
  useKeys({ '/': () => field.current?.focus() });

  const drop = ({ contactId, fullName }: { contactId: number; fullName: string }) => {
    edit(null);
    setLeaving((now) => new Set(now).add(contactId));
    const back = () => setLeaving((now) => new Set([...now].filter((each) => each !== contactId)));
    const act = async () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', act);
      await remove(`/v1/core/contact/contacts/${contactId}`, { keepalive: true }).catch((error) =>
        toast(`${fullName} was not deleted. ${error.message}`),
      );
      await client.invalidateQueries({ queryKey: ['contacts'] });
      back();
    };
    const undo = () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', act);
      back();
    };
    const timer = setTimeout(act, undoMs);
    window.addEventListener('pagehide', act);
    toast(`${fullName} is being deleted.`, { label: 'Undo', run: undo }, undoMs);
  };

  return (
    <div className="contacts">
      <aside aria-label="Which contacts">
        <h1>Contacts</h1>
        <button type="button" aria-pressed={groupId === undefined} onClick={() => setGroupId(undefined)}>
          <Icon name="users" />
          <span className="grow">Everybody</span>
        </button>
        <h2 className="eyebrow">Groups</h2>
        {groups.map((group) => (
          <button
            type="button"
            key={group.groupId}
            aria-pressed={groupId === group.groupId}
            onClick={() => setGroupId(group.groupId)}
          >
            <Icon name="tag" />
            <span className="grow cut">{group.name}</span>
            <span className="small number">{group.contactCount.toLocaleString('en-US')}</span>
          </button>
        ))}
        <button type="button" className="new-group" onClick={() => makeGroup(true)}>
          <Icon name="plus" />
          New group
        </button>
      </aside>
      <div className="contacts-head">
        <h1 className="only-phone">Contacts</h1>
        <div className="field">
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            aria-label="Search contacts"
            placeholder="Name, number, email"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={({ key }) => {
              if (key !== 'Escape') return;
              setTyped('');
              field.current?.blur();
            }}
          />
          <kbd>/</kbd>
        </div>
        <span className="soft number cut words" role="status">
          {total !== undefined && (total === 1 ? '1 person' : `${total.toLocaleString('en-US')} people`)}
        </span>
        <button
          type="button"
          className="button main end"
          onClick={() => edit({ contactId: null })}
          aria-label="New contact"
        >
          <Icon name="user-plus" />
          <span className="words">New contact</span>
        </button>
      </div>
      {first.error && !first.data ? (
        <Broken error={first.error} retry={() => void first.refetch()} />
      ) : total === 0 ? (
        <StateScreen icon="users" title={search || groupId !== undefined ? 'Nobody found' : 'No contacts yet'}>
          {search
            ? `No name, email or number begins with “${search}”.`
            : groupId !== undefined
              ? 'This group has no members.'
              : 'Add the people that you text, with New contact.'}
        </StateScreen>
      ) : (
        <People
          key={JSON.stringify(filter)}
          filter={filter}
          total={total ?? 0}
          leaving={leaving}
          sort={sort}
          setSort={setSort}
          edit={(contactId) => edit({ contactId })}
        />
      )}
      {isGroupNew && <GroupEditor close={() => makeGroup(false)} made={setGroupId} />}
      {edited && (
        <ContactEditor contactId={edited.contactId} phone={null} memberId={null} close={() => edit(null)} drop={drop} />
      )}
    </div>
  );
}

type PeopleProps = {
  filter: ContactFilter;
  total: number;
  leaving: ReadonlySet<number>;
  sort: Pick<ContactFilter, 'sortBy' | 'sortDirection'>;
  setSort(sort: Pick<ContactFilter, 'sortBy' | 'sortDirection'>): void;
  edit(contactId: number): void;
};

/** Only the rows that are seen are there, and only their pages are fetched. */
function People({ filter, total, leaving, sort, setSort, edit }: PeopleProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const shown = virtual.getVirtualItems();
  const [from = 0, until = 0] = [shown[0]?.index, shown.at(-1)?.index];
  const pages = [...new Set([pageOf(from), pageOf(until)])];
  const loaded = useQueries({ queries: pages.map((page) => contactsQuery(filter, page)) });
  const contactAt = (index: number): ContactSummary | undefined =>
    loaded[pages.indexOf(pageOf(index))]?.data?.data[index % contactsPageSize];
  const consents = useConsents(loaded.map(({ data }) => data));

  const write = async ({ phone, fullName, contactId }: ContactSummary) => {
    if (!phone) return;
    const known = await findByPhone(phone).catch(() => null);
    if (known) void navigate({ to: '/c/$memberId', params: { memberId: known.memberId } });
    else void navigate({ to: '/new', state: { to: { phone, name: fullName, contactId } } });
  };
  const top = shown[0]?.start ?? 0;
  const bottom = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section className="people" ref={scroll} tabIndex={0} aria-label="Contacts">
      <table aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ key, name, isWide }) => (
              <th
                key={name}
                className={isWide ? 'wide' : ''}
                aria-sort={
                  key === sort.sortBy ? (sort.sortDirection === 'asc' ? 'ascending' : 'descending') : undefined
                }
              >
                {key ? (
                  <button
                    type="button"
                    onClick={() =>
                      setSort({
                        sortBy: key,
                        sortDirection: key === sort.sortBy && sort.sortDirection === 'asc' ? 'desc' : 'asc',
                      })
                    }
                  >
                    {name}
                    {key === sort.sortBy && (
                      <Icon name={sort.sortDirection === 'asc' ? 'arrow-up' : 'arrow-down'} size={14} />
                    )}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {top > 0 && (
            <tr>
              <td colSpan={columns.length} style={{ height: top, padding: 0, border: 0 }} />
            </tr>
          )}
          {shown.map(({ index }) => {
            const contact = contactAt(index);
            return (
              <tr
                // Rows are used again for other people: a jump changes their words and makes no new ones.
                key={index % rowsMax}
                className="row-of"
                aria-rowindex={index + 2}
                style={{ opacity: contact && leaving.has(contact.contactId) ? 0.4 : 1 }}
              >
                {contact ? (
                  <Cells
                    contact={contact}
                    state={contact.phone ? consents.get(contact.phone) : undefined}
                    edit={() => edit(contact.contactId)}
                    write={() => void write(contact)}
                  />
                ) : (
                  <Blank />
                )}
              </tr>
            );
          })}
          {bottom > 0 && (
            <tr>
              <td colSpan={columns.length} style={{ height: bottom, padding: 0, border: 0 }} />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

function Cells({
  contact,
  state,
  edit,
  write,
}: {
  contact: ContactSummary;
  state: ConsentState | undefined;
  edit(): void;
  write(): void;
}) {
  const { fullName, phone, email, groupNames } = contact;
  return (
    <>
      <td>
        <span className="row">
          <Face name={fullName} phone={phone ?? ''} size="tiny" />
          <button type="button" className="link cut" onClick={edit}>
            {phone === fullName ? phoneWords(fullName) : fullName}
          </button>
        </span>
      </td>
      <td className="number">
        {phone && (
          <button type="button" className="link phone-link" title="Write a text" onClick={write}>
            {phoneWords(phone)}
          </button>
        )}
      </td>
      <td className="wide">
        {phone ? <Chip {...consentWords[state ?? 'none']} /> : <Chip word="No phone" icon="phone-off" tone="quiet" />}
      </td>
      <td className="wide soft">{email}</td>
      <td className="wide soft">{groupNames.join(', ')}</td>
    </>
  );
}

function Blank() {
  return columns.map(({ name, isWide }) => (
    <td key={name} className={isWide ? 'wide' : ''}>
      <div className="skeleton" style={{ width: '60%', height: 14 }} />
    </td>
  ));
}

function pageOf(index: number): number {
  return Math.floor(index / contactsPageSize) + 1;
}

/** Of each page that is shown. */
function useConsents(pages: (NumberedPage<ContactSummary> | undefined)[]): Map<string, ConsentState> {
  return useQueries({
    queries: pages.map((page) => consentsQuery(page?.data.flatMap(({ phone }) => phone ?? []) ?? [])),
    combine: statesOf,
  });
}

function statesOf(found: { data: ConsentSearchResult | undefined }[]): Map<string, ConsentState> {
  const consents = found.flatMap(({ data }) => data?.data ?? []);
  return new Map(consents.flatMap(({ phone, state }) => (state ? [[phone, state] as const] : [])));
}
