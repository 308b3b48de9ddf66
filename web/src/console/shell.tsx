import { Menu } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useNow } from '../api/clock.ts';
import { signOut } from '../api/http.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';
import { Face, StateScreen } from '../look/parts.tsx';
import { Toasts } from '../shell/toasts.tsx';
import { fullTime } from '../words/times.ts';
import { SignInAgain } from './again.tsx';
import { type Place, places, placesOf } from './places.ts';
import { roleNames, useSession } from './session.ts';

/** The navigation of one's role, and the page that is open. On a phone it is behind a button. */
export function Shell() {
  const { staff } = useSession();
  const here = useLocation({ select: ({ pathname }) => pathname });
  const [isOpen, open] = useState(false);
  const place = placeOf(here);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it.
  useEffect(() => open(false), [here]);
  useEffect(() => {
    document.title = `${place?.name ?? 'Console'} · Assent`;
  }, [place]);
  return (
    <div className="console">
      <header className="console-bar">
        <Button kind="quiet square" aria-label="Navigation" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          <Icon name={isOpen ? 'x' : 'menu'} size={21} />
        </Button>
        <Brand />
      </header>
      <nav className={`console-nav ${isOpen ? 'open' : ''}`} aria-label="Console">
        <div className="desk-only">
          <Brand />
        </div>
        <p className="small soft console-whose">{staff.firmName ?? 'All firms'} · console</p>
        <p className="eyebrow">{staff.role === 'operator' ? 'Operations' : 'Compliance'}</p>
        <ul>
          {placesOf(staff.role).map((each) => (
            <li key={each.to}>
              <Link to={each.to} className="console-place" aria-current={each === place ? 'page' : undefined}>
                <Icon name={each.icon} />
                <span className="grow">{each.name}</span>
              </Link>
            </li>
          ))}
        </ul>
        <Account />
      </nav>
      <main className="console-main" tabIndex={-1}>
        <PrintedBy />
        {place && !place.roles.includes(staff.role) ? <Forbidden /> : <Outlet />}
      </main>
      <Toasts />
      <SignInAgain />
    </div>
  );
}

/** On paper, above every page. */
function PrintedBy() {
  const { staff } = useSession();
  const now = useNow();
  return (
    <p className="small only-print printed-by">
      {staff.firmName ?? 'All firms'}. Printed by {staff.name}, {fullTime(now)}.
    </p>
  );
}

function Brand() {
  const { environment } = useSession();
  return (
    <a className="console-brand" href="/">
      <img src="/icon.svg" alt="" width="26" height="26" />
      Assent
      {environment === 'sandbox' && <span className="chip warn">SANDBOX</span>}
    </a>
  );
}

function Account() {
  const { staff } = useSession();
  return (
    <div className="console-account">
      <Menu position="top-start" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <button type="button" className="console-place">
            <Face name={staff.name} phone={staff.email} />
            <span className="grow">
              <b>{staff.name}</b>
              <span className="small soft">{roleNames[staff.role]}</span>
              <span className="hidden-visually">: account</span>
            </span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{staff.email}</Menu.Label>
          <Menu.Item leftSection={<Icon name="key" />} component="a" href="/console/security">
            Your sign-in
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="logout" />} onClick={signOut}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function placeOf(here: string): Place | undefined {
  return places.find(({ to, also }) =>
    [to, also].some((path) => path && (here === path || here.startsWith(`${path}/`))),
  );
}

function Forbidden() {
  return (
    <StateScreen icon="lock" title="No access" isPage>
      This page is for another role. If you need it, ask the person who gave you access to the console.
    </StateScreen>
  );
}

export function NotFound() {
  return (
    <StateScreen icon="search" title="Page not found" isPage>
      There is nothing at this address, or it is another firm’s.
    </StateScreen>
  );
}
