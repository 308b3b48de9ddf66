import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { Broken } from '../look/parts.tsx';
import { client } from './client.ts';
import { placesOf } from './places.ts';
import type { Order, View } from './reviews/queries.ts';
import { views } from './reviews/words.ts';
import { sessionQuery } from './session.ts';
import { NotFound, Shell } from './shell.tsx';
import { readSearch } from './traffic/queries.ts';

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
const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
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
const archiveEntry = createRoute({
  getParentRoute: () => root,
  path: '/archive/$advisorId/$number',
  component: lazyRouteComponent(() => import('./archive/entry.tsx'), 'ArchiveEntry'),
});
const consent = createRoute({
  getParentRoute: () => root,
  path: '/consent',
  component: lazyRouteComponent(() => import('./consent/consent.tsx'), 'Consent'),
});
const consentOf = createRoute({
  getParentRoute: () => root,
  path: '/consent/$advisorId/$memberId',
  component: lazyRouteComponent(() => import('./consent/person.tsx'), 'ConsentOf'),
});
const wordings = createRoute({
  getParentRoute: () => root,
  path: '/wordings',
  component: lazyRouteComponent(() => import('./wordings/wordings.tsx'), 'Wordings'),
});
const holds = createRoute({
  getParentRoute: () => root,
  path: '/holds',
  component: lazyRouteComponent(() => import('./holds/holds.tsx'), 'Holds'),
});
const exportsPage = createRoute({
  getParentRoute: () => root,
  path: '/exports',
  component: lazyRouteComponent(() => import('./exports/exports.tsx'), 'Exports'),
});
const staff = createRoute({
  getParentRoute: () => root,
  path: '/staff',
  component: lazyRouteComponent(() => import('./staff/staff.tsx'), 'Staff'),
});

const firms = createRoute({
  getParentRoute: () => root,
  path: '/firms',
  component: lazyRouteComponent(() => import('./firms/firms.tsx'), 'Firms'),
});
const advisors = createRoute({
  getParentRoute: () => root,
  path: '/advisors',
  validateSearch: ({ firm }: { firm?: unknown }): { firm?: number } => (Number(firm) > 0 ? { firm: Number(firm) } : {}),
  component: lazyRouteComponent(() => import('./advisors/advisors.tsx'), 'Advisors'),
});
const carriers = createRoute({
  getParentRoute: () => root,
  path: '/carriers',
  component: lazyRouteComponent(() => import('./carriers/carriers.tsx'), 'Carriers'),
});
const applications = createRoute({
  getParentRoute: () => root,
  path: '/applications',
  component: lazyRouteComponent(() => import('./applications/applications.tsx'), 'Applications'),
});
const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$clientId',
  component: lazyRouteComponent(() => import('./applications/application.tsx'), 'Application'),
});
const traffic = createRoute({
  getParentRoute: () => root,
  path: '/traffic',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./traffic/traffic.tsx'), 'TrafficPage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
});
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./webhooks/webhook.tsx'), 'Webhook'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./jobs/jobs.tsx'), 'Jobs'),
});
const doubts = createRoute({
  getParentRoute: () => root,
  path: '/doubts',
  component: lazyRouteComponent(() => import('./doubts/doubts.tsx'), 'Doubts'),
});
const doctor = createRoute({
  getParentRoute: () => root,
  path: '/doctor',
  component: lazyRouteComponent(() => import('./doctor/doctor.tsx'), 'Doctor'),
});
const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts/alerts.tsx'), 'Alerts'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: ({ kind, actor, day }: Record<string, unknown>): { kind?: string; actor?: string; day?: string } => ({
    ...(typeof kind === 'string' && { kind }),
    ...(typeof actor === 'string' && { actor }),
    ...(typeof day === 'string' && { day }),
  }),
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
});
const lexicon = createRoute({
  getParentRoute: () => root,
  path: '/lexicon',
  component: lazyRouteComponent(() => import('./lexicon/lexicon.tsx'), 'Lexicon'),
});
const report = createRoute({
  getParentRoute: () => root,
  path: '/report',
  component: lazyRouteComponent(() => import('./report/report.tsx'), 'Report'),
});

// biome-ignore format: a line for each
const pages = [
  home,
  overview,
  reviews.addChildren([review]),
  archive,
  archiveEntry,
  consent,
  consentOf,
  wordings,
  holds,
  exportsPage,
  staff,
  traffic,
  firms,
  advisors,
  carriers,
  applications,
  application,
  webhooks,
  webhook,
  jobs,
  doubts,
  doctor,
  alerts,
  audit,
  lexicon,
  report,
] as const;

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/console',
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
