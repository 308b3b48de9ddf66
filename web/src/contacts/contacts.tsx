import './contacts.css';
import { Menu } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { download, isStale, signIn } from '../api/http.ts';
import { type ContactFilter, contactsQuery, countsQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { AppContact, Group } from '../api/types.ts';
import type { ContactChoice } from '../broadcasts/queries.ts';
import { draftedGroup } from '../inbox/drafts.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { rescueFocus } from '../look/focus.ts';
import { Icon } from '../look/icons.tsx';
import { Broken, StateScreen } from '../look/parts.tsx';
import { useKeys } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';
import { consentStates, consentWords } from '../words/states.ts';
import { deleteWithUndo, offerWaiting } from './deleting.ts';
import { useFoundGroups } from './found-groups.tsx';
import { ImportBar } from './import-bar.tsx';
import { People, type Selection } from './people.tsx';

const AskDialog = lazy(ahead(() => import('../broadcasts/ask-dialog.tsx')));
const ContactEditor = lazy(ahead(() => import('./contact-editor.tsx')));
const GroupEditor = lazy(ahead(() => import('./group-editor.tsx')));
const ImportDialog = lazy(ahead(() => import('./import-dialog.tsx')));
const GroupChoice = lazy(ahead(() => import('./group-choice.tsx')));

const typingMs = 250;
const searchLengthMax = 200;
/** A screen of them, while nobody knows how many there are. */
const blankRows = 20;
/** As many as the server takes at a time. */
const selectedMax = 1_000;

/** Whom the list shows. */
type Scope = Pick<ContactFilter, 'groupId' | 'consent'>;
type Dialog = { groupId: number | null } | { dropped: File | null } | { whom: ContactChoice } | 'groups' | null;
const everybody: Scope = { groupId: undefined, consent: undefined };

export function Contacts() {
  const place = useSearch({ from: '/contacts' });
  const { groupId, consent, sortBy = 'fullName', sortDirection = 'asc', contact } = place;
  const { consentCollection } = useAdvisor();
  const router = useRouter();
  const navigate = useNavigate({ from: '/contacts' });
  const searched = useLocation({ select: ({ state }) => state.searched ?? '' });
  const [typed, setTyped] = useState(searched);
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const scope: Scope = { groupId, consent };
  const [dialog, open] = useState<Dialog>(draftedGroup);
  const [isExporting, setExporting] = useState(false);
  const [selected, setSelected] = useState<Selection>(new Map());
  const field = useRef<HTMLInputElement>(null);
  const filter: ContactFilter = { search, ...scope, sortBy, sortDirection };
  const first = useQuery(contactsQuery(filter, 1));
  const { groups, found, search: findGroup } = useFoundGroups();
  const group = groups.find(({ groupId }) => groupId === scope.groupId);
  const named = dialog && typeof dialog === 'object' && 'groupId' in dialog ? dialog : null;
  const renamed = groups.find(({ groupId }) => groupId === named?.groupId) ?? null;
  const total = first.data?.pageInfo.totalRecord;
  useKeys({ '/': () => field.current?.focus() });
  useEffect(() => void offerWaiting(), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: when somebody has typed, so that Back brings the list as it was left.
  useEffect(() => {
    if (search !== searched)
      void navigate({ search: true, state: (state) => ({ ...state, searched: search }), replace: true });
  }, [search]);
  // The contacts were opened anew, or Back leads to an earlier search. What somebody is typing is theirs.
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(searched);
  }, [searched]);
  const show = (change: typeof place) => void navigate({ search: { ...place, ...change }, state: true, replace: true });
  const edit = (contact: number | 'new') =>
    void navigate({ search: { ...place, contact }, state: (state) => ({ ...state, isOpened: true }) });
  const close = () => {
    open(null);
    const { search, state } = router.state.location;
    // Unless Back has closed it.
    if (!('contact' in search && search.contact)) return;
    if (state.isOpened) router.history.back();
    else show({ contact: undefined });
  };
  const select = (contact: AppContact, isSelected: boolean) => {
    if (isSelected && selected.size >= selectedMax) return toast(`Up to ${selectedMax} people at a time.`);
    const next = new Map(selected);
    if (isSelected) next.set(contact.contactId, contact);
    else next.delete(contact.contactId);
    setSelected(next);
  };
  /** The bar goes, and with it the button that had the focus. */
  const unselect = () => {
    setSelected(new Map());
    rescueFocus();
  };
  const drop = (contactIds: number[], whom: string) => {
    unselect();
    void deleteWithUndo({ contactIds }, whom);
  };
  const isNarrow = Boolean(search || scope.groupId || scope.consent);
  const save = async () => {
    setExporting(true);
    await download('/contacts/export', 'contacts.csv', { search, ...scope }).catch((error) =>
      toast(error.message, isStale(error) ? { label: 'Sign in again', run: () => signIn(true) } : undefined),
    );
    setExporting(false);
  };
  const dropGroup = ({ groupId, name }: Group) => {
    show(everybody);
    void deleteWithUndo({ groupId }, `The group ${name} is`);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file can also be chosen with Import
    <div
      className="contacts"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file && dialog === null) open({ dropped: file });
      }}
    >
      <Aside
        groups={found}
        findGroup={findGroup}
        scope={scope}
        setScope={show}
        makeGroup={() => open({ groupId: null })}
      />
      <div className="contacts-head">
        <h1 className="only-phone">Contacts</h1>
        <div className="field">
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            aria-label="Search contacts"
            placeholder="Name, number, email"
            maxLength={searchLengthMax}
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
        <ScopeField groups={groups} scope={scope} setScope={show} />
        <span className="soft number cut words" role="status">
          {total !== undefined && count(total, 'person', 'people')}
        </span>
        {group && (
          <GroupMenu group={group} rename={() => open({ groupId: group.groupId })} drop={() => dropGroup(group)} />
        )}
        <div className="row end">
          {group && (
            <Link
              to="/broadcasts/to/$groupId"
              params={{ groupId: group.groupId }}
              className="button"
              aria-label="Text this group"
            >
              <Icon name="send" />
              <span className="words">Text this group</span>
            </Link>
          )}
          {consentCollection && isNarrow && consent !== 'accepted' && consent !== 'opted_out' && (
            <Button
              icon="hourglass"
              disabled={!total}
              onClick={() => open({ whom: { search, ...scope } })}
              aria-label="Ask for consent"
            >
              <span className="words">Ask for consent</span>
            </Button>
          )}
          <Button icon="upload" onClick={() => open({ dropped: null })} aria-label="Import">
            <span className="words">Import</span>
          </Button>
          <Button
            icon="download"
            disabled={!total || isExporting}
            onClick={() => void save()}
            aria-label={isNarrow ? 'Export these people' : 'Export'}
          >
            <span className="words">{isNarrow ? 'Export these' : 'Export'}</span>
          </Button>
          <Button icon="user-plus" kind="main" onClick={() => edit('new')} aria-label="New contact">
            <span className="words">New contact</span>
          </Button>
        </div>
      </div>
      {selected.size > 0 && (
        <Selected
          selected={selected}
          clear={unselect}
          ask={() => open({ whom: { contactIds: [...selected.keys()] } })}
          chooseGroup={() => open('groups')}
          drop={() => drop([...selected.keys()], whomOf(selected))}
        />
      )}
      {first.error && !first.data ? (
        <Broken error={first.error} retry={() => void first.refetch()} />
      ) : total === 0 ? (
        <Nobody filter={filter} />
      ) : (
        <People
          key={JSON.stringify(filter)}
          filter={filter}
          total={total ?? blankRows}
          selected={selected}
          select={select}
          setSort={show}
          edit={edit}
        />
      )}
      <ImportBar />
      <Suspense>
        {dialog === 'groups' ? (
          <GroupChoice contactIds={[...selected.keys()]} make={() => open({ groupId: null })} close={close} />
        ) : dialog && 'whom' in dialog ? (
          <AskDialog whom={dialog.whom} close={close} />
        ) : dialog && 'dropped' in dialog ? (
          <ImportDialog dropped={dialog.dropped} close={close} />
        ) : named && (renamed || named.groupId === null) ? (
          <GroupEditor group={renamed} close={close} made={(groupId) => show({ ...everybody, groupId })} />
        ) : (
          contact && (
            <ContactEditor
              contactId={contact === 'new' ? null : contact}
              phone={null}
              memberId={null}
              close={close}
              drop={({ contactId, fullName }) => drop([contactId], `${fullName} is`)}
            />
          )
        )}
      </Suspense>
    </div>
  );
}

type ScopeProps = { groups: Group[]; scope: Scope; setScope(scope: Scope): void };

function Aside({
  groups,
  findGroup,
  scope,
  setScope,
  makeGroup,
}: ScopeProps & { findGroup: ReactNode; makeGroup(): void }) {
  const counts = useQuery(countsQuery).data;
  const number = (of: number | undefined) => (
    <span className="small number">{of === undefined ? '' : of.toLocaleString('en-US')}</span>
  );
  const isEverybody = scope.groupId === undefined && scope.consent === undefined;
  return (
    <aside aria-label="Which contacts">
      <h1>Contacts</h1>
      <button type="button" aria-pressed={isEverybody} onClick={() => setScope(everybody)}>
        <Icon name="users" />
        <span className="grow">Everybody</span>
        {number(counts?.everybody)}
      </button>
      <h2 className="eyebrow">Consent</h2>
      {consentStates.map((consent) => (
        <button
          type="button"
          key={consent}
          aria-pressed={scope.consent === consent}
          onClick={() => setScope({ ...scope, consent: scope.consent === consent ? undefined : consent })}
        >
          <Icon name={consentWords[consent].icon} />
          <span className="grow">{consentWords[consent].word}</span>
          {number(counts && (counts.states[consent] ?? 0))}
        </button>
      ))}
      <h2 className="eyebrow">Groups</h2>
      {findGroup}
      {groups.map(({ groupId, name, contactCount }) => (
        <button
          type="button"
          key={groupId}
          aria-pressed={scope.groupId === groupId}
          onClick={() => setScope({ ...scope, groupId: scope.groupId === groupId ? undefined : groupId })}
        >
          <Icon name="tag" />
          <span className="grow cut" title={name}>
            {name}
          </span>
          {number(contactCount)}
        </button>
      ))}
      <button type="button" className="new-group" onClick={makeGroup}>
        <Icon name="plus" />
        New group
      </button>
      <Link to="/broadcasts" className="group-texts">
        <Icon name="send" />
        Texts to groups
      </Link>
    </aside>
  );
}

/** The same choice where there is no room for it on the left. */
function ScopeField({ groups, scope, setScope }: ScopeProps) {
  const value = scope.groupId === undefined ? (scope.consent ?? '') : String(scope.groupId);
  return (
    <select
      className="plain-field scope"
      aria-label="Which contacts"
      value={value}
      onChange={({ target }) => {
        const consent = consentStates.find((each) => each === target.value);
        const groupId = Number(target.value) || undefined;
        setScope({ consent, groupId });
      }}
    >
      <option value="">Everybody</option>
      <optgroup label="Consent">
        {consentStates.map((consent) => (
          <option key={consent} value={consent}>
            {consentWords[consent].word}
          </option>
        ))}
      </optgroup>
      <optgroup label="Groups">
        {groups.map(({ groupId, name }) => (
          <option key={groupId} value={groupId}>
            {name}
          </option>
        ))}
      </optgroup>
    </select>
  );
}

function GroupMenu({ group, rename, drop }: { group: Group; rename(): void; drop(): void }) {
  return (
    <Menu position="bottom-start" shadow="md" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button icon="dots" kind="quiet square" aria-label={`The group ${group.name}: more`} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="pencil" />} onClick={rename}>
          Rename {group.name}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="trash" />} onClick={drop}>
          Delete {group.name}, keep its people
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Selected({
  selected,
  clear,
  ask,
  chooseGroup,
  drop,
}: {
  selected: Selection;
  clear(): void;
  ask(): void;
  chooseGroup(): void;
  drop(): void;
}) {
  const { consentCollection } = useAdvisor();
  return (
    <section className="selected-bar" aria-label="Selected">
      <strong className="number" role="status">
        {selected.size.toLocaleString('en-US')} selected
      </strong>
      {consentCollection && (
        <Button kind="small" icon="hourglass" onClick={ask}>
          Ask for consent
        </Button>
      )}
      <Button kind="small" onClick={chooseGroup}>
        <Icon name="tag" />
        Groups
      </Button>
      <Button kind="small quiet bad" onClick={drop}>
        <Icon name="trash" />
        Delete
      </Button>
      <Button kind="small quiet end" onClick={clear}>
        Clear
      </Button>
    </section>
  );
}

function Nobody({ filter: { search, groupId, consent } }: { filter: ContactFilter }) {
  const isNarrow = search || groupId !== undefined || consent !== undefined;
  return (
    <StateScreen icon="users" title={isNarrow ? 'Nobody found' : 'No contacts yet'}>
      {search
        ? `No name, email or number here begins with “${search}”.`
        : consent !== undefined
          ? `Nobody here is “${consentWords[consent].word}”.`
          : groupId !== undefined
            ? 'This group has no members.'
            : 'Add the people that you text, with New contact, or import a file of them.'}
    </StateScreen>
  );
}

function whomOf(selected: Selection): string {
  const [only] = selected.values();
  return selected.size === 1 && only ? `${only.fullName} is` : `${count(selected.size, 'person', 'people')} are`;
}
