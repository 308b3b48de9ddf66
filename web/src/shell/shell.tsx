import { Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { signOut } from '../api/http.ts';
import { useLink } from '../api/live.ts';
import { conversationsQuery } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { ahead } from '../look/ahead.ts';
import { rescueFocus } from '../look/focus.ts';
import { Icon, type IconName } from '../look/icons.tsx';
import { Face, StateScreen } from '../look/parts.tsx';
import { useKeys } from './keys.ts';
import { Toasts } from './toasts.tsx';

const Shortcuts = lazy(ahead(() => import('./shortcuts.tsx')));

const places: { to: '/' | '/contacts' | '/scheduled'; name: string; icon: IconName }[] = [
  { to: '/', name: 'Inbox', icon: 'message-2' },
  { to: '/contacts', name: 'Contacts', icon: 'address-book' },
  { to: '/scheduled', name: 'Scheduled', icon: 'calendar-clock' },
];

export function Shell() {
  const [keysShown, showKeys] = useState(false);
  const navigate = useNavigate();
  const here = useLocation({ select: ({ pathname }) => pathname });
  const unread = useUnread();
  const { environment } = useSession();
  const isDemonstration = environment === 'sandbox' && here === '/demonstration';
  useKeys(isDemonstration ? {} : { '?': () => showKeys(true), c: () => void navigate({ to: '/new' }) });
  useTitle(here, unread);
  useScheme();
  useFocusInPlace(here);
  return (
    <div className={`window ${isDemonstration ? 'whole' : /^\/(c\/|new)/.test(here) ? 'reading' : ''}`}>
      <LinkBar />
      {!isDemonstration && <Rail here={here} unread={unread} showKeys={() => showKeys(true)} />}
      <main className="place-main" tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
      <Suspense>{keysShown && <Shortcuts close={() => showKeys(false)} />}</Suspense>
    </div>
  );
}

function Rail({ here, unread, showKeys }: { here: string; unread: string; showKeys(): void }) {
  const { advisor, environment } = useSession();
  return (
    <nav className="rail" aria-label="Assent">
      <a className="logo" href="/" aria-label="Assent, home page">
        <img src="/icon.svg" alt="" width="26" height="26" />
      </a>
      {places.map(({ to, name, icon }) => {
        const isHere = placeOf(here) === to;
        return (
          <Tooltip label={name} position="right" key={to}>
            <Link
              to={to}
              className="place"
              aria-label={to === '/' && unread ? `${name}, ${unread} unread` : name}
              aria-current={isHere ? 'page' : undefined}
            >
              <Icon name={icon} size={21} />
              {to === '/' && unread && <span className="badge">{unread}</span>}
            </Link>
          </Tooltip>
        );
      })}
      <div className="rest">
        {environment === 'sandbox' && <span className="sandbox">SANDBOX</span>}
        <Tooltip label="Keyboard shortcuts" position="right">
          <button type="button" className="place desk" aria-label="Keyboard shortcuts" onClick={showKeys}>
            <Icon name="keyboard" size={21} />
          </button>
        </Tooltip>
        <Menu position="right-end" shadow="md" transitionProps={{ duration: 0 }}>
          <Menu.Target>
            <button type="button" className="place" aria-label={`${advisor.name}: account`}>
              <Face name={advisor.name} phone={advisor.email} />
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>
              {advisor.name} · {advisor.firmName}
            </Menu.Label>
            <Menu.Item component={Link} to="/settings" leftSection={<Icon name="settings" />}>
              Settings
            </Menu.Item>
            <Menu.Item component="a" href="/connected-apps" leftSection={<Icon name="plug" />}>
              Connected apps
            </Menu.Item>
            <Menu.Item component="a" href="/passkeys" leftSection={<Icon name="key" />}>
              Passkeys
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="logout" />} onClick={signOut}>
              Sign out
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    </nav>
  );
}

/** The place of the rail that an address belongs to: groups are among the contacts. */
function placeOf(here: string): string {
  const [, place = ''] = /^\/(contacts|broadcasts|scheduled|settings)/.exec(here) ?? [];
  return place === 'broadcasts' ? '/contacts' : `/${place}`;
}

/** What is kept while there is no connection, and that nothing goes out by itself. */
function LinkBar() {
  const link = useLink();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (link !== 'connecting') return;
    // A moment without a stream is nothing to tell anybody about.
    const timer = setTimeout(() => setLate(true), 3_000);
    return () => clearTimeout(timer);
  }, [link]);
  if (link !== 'offline' && !isLate) return <div role="status" className="hidden-visually" />;
  return (
    <div className="bar" role="status">
      <Icon name="wifi-off" />
      {link === 'offline'
        ? 'You are offline. What you type is kept here; nothing is sent until you press Send again.'
        : 'Connecting to Assent. New texts may be missing for a moment.'}
    </div>
  );
}

/** Of the first page of the unread: more than that is many. */
function useUnread(): string {
  const { data } = useInfiniteQuery(conversationsQuery('unread'));
  const page = data?.pages[0];
  const unread = (data?.pages ?? []).flatMap((each) => each.data).filter((each) => each.unread > 0).length;
  if (!unread) return '';
  return page?.cursor && unread >= page.data.length ? `${unread}+` : String(unread);
}

/** Our colors follow the system by themselves; only somebody's own choice has to be said. */
function useScheme(): void {
  const { colorScheme } = useMantineColorScheme();
  useEffect(() => {
    document.documentElement.style.colorScheme = colorScheme === 'auto' ? '' : colorScheme;
  }, [colorScheme]);
}

/** What had the focus may be gone with the place that it was in. A page that was just opened begins at its top. */
function useFocusInPlace(here: string): void {
  const before = useRef(here);
  useEffect(() => {
    if (before.current !== here) rescueFocus();
    before.current = here;
  }, [here]);
}

function useTitle(here: string, unread: string): void {
  useEffect(() => {
    const place = /^\/(contacts|broadcasts|scheduled|settings|demonstration)/.exec(here)?.[1] ?? 'inbox';
    const name = place === 'broadcasts' ? 'Texts to groups' : place[0]?.toUpperCase() + place.slice(1);
    document.title = `${unread ? `(${unread}) ` : ''}${name} · Assent`;
  }, [here, unread]);
}

export function NotFound() {
  return (
    <StateScreen
      icon="search"
      title="Page not found"
      isPage
      action={
        <Link to="/" className="button">
          Go to the inbox
        </Link>
      }
    >
      There is nothing at this address. It may have been deleted, or the link has a typo.
    </StateScreen>
  );
}
