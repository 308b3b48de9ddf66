import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Broken } from '../look/parts.tsx';
import { SignedIn } from './again.tsx';
import type { BegunSearch, ReadEntry } from './archive/entries.ts';
import { client } from './client.ts';
import { placesOf } from './places.ts';
import type { Order, View } from './reviews/queries.ts';
import { views } from './reviews/words.ts';
import { sessionQuery } from './session.ts';
import { NotFound, Shell } from './shell.tsx';
import { readSearch } from './traffic/queries.ts';

/** A page that is loaded when somebody opens it. */
const page = <Path extends string>(path: Path, load: () => Promise<RouteComponent>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(async () => ({ default: await load() })),
  });

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });
/** The first place of one's role. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { staff } = await client.ensureQueryData(sessionQuery);
    const [first] = placesOf(staff.role);
    if (first) throw redirect({ to: first.to, replace: true });
  },
});
/** Addresses carry our ids. */
const reviews = createRoute({
  getParentRoute: () => root,
  path: '/reviews',
  validateSearch: ({ view, order }: Record<string, unknown>): { view?: View; order?: Order } => ({
    ...(views.includes(view as View) && view !== 'all' ? { view: view as View } : {}),
    ...(order === 'newest' ? { order } : {}),
  }),
  component: lazyRouteComponent(() => import('./reviews/reviews.tsx'), 'Reviews'),
});
const review = createRoute({
  getParentRoute: () => reviews,
  path: '/$reviewId',
  params: {
    parse: ({ reviewId }) => ({ reviewId: Number(reviewId) }),
    stringify: ({ reviewId }) => ({ reviewId: String(reviewId) }),
  },
});
const archive = createRoute({
  getParentRoute: () => root,
  path: '/archive',
  validateSearch: ({ search }: { search?: unknown }): { search?: number } =>
    Number(search) > 0 ? { search: Number(search) } : {},
  component: lazyRouteComponent(() => import('./archive/archive.tsx'), 'Archive'),
});

const advisors = createRoute({
  getParentRoute: () => root,
  path: '/advisors',
  validateSearch: ({ firm }: { firm?: unknown }): { firm?: number } => (Number(firm) > 0 ? { firm: Number(firm) } : {}),
  component: lazyRouteComponent(() => import('./advisors/advisors.tsx'), 'Advisors'),
});
const traffic = createRoute({
  getParentRoute: () => root,
  path: '/traffic',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./traffic/traffic.tsx'), 'TrafficPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: ({ kind, actor, day }: Record<string, unknown>): { kind?: string; actor?: string; day?: string } => ({
    ...(typeof kind === 'string' && { kind }),
    ...(typeof actor === 'string' && { actor }),
    ...(typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) && { day }),
  }),
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
});

const pages = [
  home,
  page('/overview', async () => (await import('./overview/overview.tsx')).Overview),
  reviews.addChildren([review]),
  archive,
  page('/archive/$advisorId/$number', async () => (await import('./archive/entry.tsx')).ArchiveEntry),
  page('/consent', async () => (await import('./consent/consent.tsx')).Consent),
  page('/consent/$advisorId/$memberId', async () => (await import('./consent/person.tsx')).ConsentOf),
  page('/wordings', async () => (await import('./wordings/wordings.tsx')).Wordings),
  page('/holds', async () => (await import('./holds/holds.tsx')).Holds),
  page('/exports', async () => (await import('./exports/exports.tsx')).Exports),
  page('/staff', async () => (await import('./staff/staff.tsx')).Staff),
  traffic,
  page('/firms', async () => (await import('./firms/firms.tsx')).Firms),
  advisors,
  page('/carriers', async () => (await import('./carriers/carriers.tsx')).Carriers),
  page('/applications', async () => (await import('./applications/applications.tsx')).Applications),
  page('/applications/$clientId', async () => (await import('./applications/application.tsx')).Application),
  page('/webhooks', async () => (await import('./webhooks/webhooks.tsx')).Webhooks),
  page('/webhooks/$webhookId', async () => (await import('./webhooks/webhook.tsx')).Webhook),
  // Where a window ends that was opened to sign in again.
  page('/signed-in', async () => SignedIn),
  page('/jobs', async () => (await import('./jobs/jobs.tsx')).Jobs),
  page('/doubts', async () => (await import('./doubts/doubts.tsx')).Doubts),
  page('/doctor', async () => (await import('./doctor/doctor.tsx')).Doctor),
  page('/alerts', async () => (await import('./alerts/alerts.tsx')).Alerts),
  audit,
  page('/lexicon', async () => (await import('./lexicon/lexicon.tsx')).Lexicon),
  page('/report', async () => (await import('./report/report.tsx')).Report),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/console',
  defaultPreload: 'intent',
  // A new page begins at its top, and Back leads to where somebody was. The queue of reviews itself keeps the open one in sight.
  scrollRestoration: ({ location }) => !/\/reviews(\/|$)/.test(location.pathname),
  scrollToTopSelectors: ['.console-main'],
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  /** Not in the address, because it may have words, names and numbers. */
  interface HistoryState {
    archive?: BegunSearch;
    /** The entry was opened from what a search found. */
    isHit?: true;
    /** The entry whose person's records are to be held, or whose day is to be exported. */
    about?: ReadEntry;
  }
}
