import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { type ContactFilter, client } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { Inbox, NothingOpen } from './inbox/inbox.tsx';
import { NewText } from './inbox/new-text.tsx';
import { OpenThread } from './inbox/open-thread.tsx';
import { ahead } from './look/ahead.ts';
import { Broken } from './look/parts.tsx';
import { NotFound, Shell } from './shell/shell.tsx';
import { consentStates } from './words/states.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });
const inbox = createRoute({ getParentRoute: () => root, id: 'inbox', component: Inbox });
const nothing = createRoute({ getParentRoute: () => inbox, path: '/', component: NothingOpen });
const fresh = createRoute({ getParentRoute: () => inbox, path: '/new', component: NewText });
/** Addresses carry our ids, never a phone number. */
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '/c/$memberId',
  params: {
    parse: ({ memberId }) => ({ memberId: Number(memberId) }),
    stringify: ({ memberId }) => ({ memberId: String(memberId) }),
  },
  /** The text to show, if it isn't the latest. */
  validateSearch: ({ at }: Record<string, unknown>): { at?: string } =>
    typeof at === 'string' && /^[mr]\d{1,15}$/.test(at) ? { at } : {},
  component: OpenThread,
});
/** Whom the list shows, and who of them is open. What is searched for isn't in the address: it may be a name or a number. */
type ContactsPlace = Partial<Omit<ContactFilter, 'search'>> & { contact?: number | 'new' | undefined };
const id = (given: unknown) => (Number.isSafeInteger(given) ? (given as number) : undefined);
const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  validateSearch: (given: Record<string, unknown>): ContactsPlace => ({
    groupId: id(given.groupId),
    consent: consentStates.find((each) => each === given.consent),
    sortBy: (['groupCount', 'dateTimeModified'] as const).find((each) => each === given.sortBy),
    sortDirection: given.sortDirection === 'desc' ? 'desc' : undefined,
    contact: given.contact === 'new' ? 'new' : id(given.contact),
  }),
  component: lazyRouteComponent(
    ahead(() => import('./contacts/contacts.tsx')),
    'Contacts',
  ),
});
const scheduled = createRoute({
  getParentRoute: () => root,
  path: '/scheduled',
  component: lazyRouteComponent(
    ahead(() => import('./scheduled/scheduled.tsx')),
    'Scheduled',
  ),
});
const broadcasts = createRoute({
  getParentRoute: () => root,
  path: '/broadcasts',
  component: lazyRouteComponent(
    ahead(() => import('./broadcasts/broadcasts.tsx')),
    'Broadcasts',
  ),
});
const compose = createRoute({
  getParentRoute: () => root,
  path: '/broadcasts/to/$groupId',
  params: {
    parse: ({ groupId }) => ({ groupId: Number(groupId) }),
    stringify: ({ groupId }) => ({ groupId: String(groupId) }),
  },
  component: lazyRouteComponent(
    ahead(() => import('./broadcasts/compose.tsx')),
    'ComposeBroadcast',
  ),
});
const broadcast = createRoute({
  getParentRoute: () => root,
  path: '/broadcasts/$broadcastId',
  params: {
    parse: ({ broadcastId }) => ({ broadcastId: Number(broadcastId) }),
    stringify: ({ broadcastId }) => ({ broadcastId: String(broadcastId) }),
  },
  component: lazyRouteComponent(
    ahead(() => import('./broadcasts/broadcast.tsx')),
    'OpenBroadcastPage',
  ),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    ahead(() => import('./settings/settings.tsx')),
    'Settings',
  ),
});
/** In the sandbox alone. */
const demonstration = createRoute({
  getParentRoute: () => root,
  path: '/demonstration',
  component: lazyRouteComponent(() => import('./demonstration/demonstration.tsx'), 'Demonstration'),
  beforeLoad: async () => {
    const { environment } = await client.ensureQueryData(sessionQuery);
    if (environment !== 'sandbox') throw notFound();
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    inbox.addChildren([nothing, fresh, thread]),
    contacts,
    scheduled,
    broadcasts,
    compose,
    broadcast,
    settings,
    demonstration,
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  // In its place, with everything around it.
  defaultErrorComponent: Broken,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** Whom a new text is for. Not in the address, because it may be a phone number. */
    to?: { phone: string; name: string | null; contactId: number | null };
    /** Whether they come to write. */
    isWriting?: boolean;
    /** What the contacts were searched for. */
    searched?: string;
    /** Whether the contact was opened in the list, to which Back leads. */
    isOpened?: boolean;
  }
}
