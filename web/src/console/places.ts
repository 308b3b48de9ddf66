import type { IconName } from '../look/icons.tsx';
import type { Role } from './session.ts';

/** A page in the navigation, for the roles that may open it. */
export type Place = { to: string; name: string; icon: IconName; roles: readonly Role[]; also?: string };

const officers = ['compliance_officer'] as const;
const firmStaff = ['reviewer', 'compliance_officer'] as const;
const operators = ['operator'] as const;

/** In the order in which they are shown. The server decides again about every call. */
// biome-ignore format: a table
export const places: Place[] = [
  { to: '/overview',      name: 'Overview',            icon: 'gauge',           roles: firmStaff },
  { to: '/reviews',       name: 'Reviews',             icon: 'clipboard-check', roles: firmStaff },
  { to: '/archive',       name: 'Archive',             icon: 'search',          roles: firmStaff },
  { to: '/consent',       name: 'Consent',             icon: 'shield-check',    roles: firmStaff },
  { to: '/lexicon',       name: 'Lexicon',             icon: 'vocabulary',      roles: officers },
  { to: '/wordings',      name: 'Wordings',            icon: 'message-2',       roles: officers },
  { to: '/holds',         name: 'Holds and retention', icon: 'gavel',           roles: officers },
  { to: '/exports',       name: 'Exports',             icon: 'package-export',  roles: officers },
  { to: '/report',        name: 'Report',              icon: 'printer',         roles: officers },
  { to: '/traffic',       name: 'Traffic',             icon: 'activity',        roles: operators },
  { to: '/carriers',      name: 'Carriers',            icon: 'building-broadcast-tower', roles: operators },
  { to: '/firms',         name: 'Firms and advisors',  icon: 'users',           roles: operators, also: '/advisors' },
  { to: '/applications',  name: 'Applications',        icon: 'apps',            roles: operators },
  { to: '/webhooks',      name: 'Webhooks',            icon: 'webhook',         roles: operators },
  { to: '/jobs',          name: 'Jobs',                icon: 'list',            roles: operators },
  { to: '/doubts',        name: 'In doubt',            icon: 'help-hexagon',    roles: operators },
  { to: '/doctor',        name: 'Doctor',              icon: 'stethoscope',     roles: operators },
  { to: '/alerts',        name: 'Alerts',              icon: 'bell',            roles: operators },
  { to: '/audit',         name: 'Audit log',           icon: 'history',         roles: operators },
  { to: '/staff',         name: 'Staff',               icon: 'user-plus',       roles: [...officers, ...operators] },
];

export function placesOf(role: Role): Place[] {
  return places.filter(({ roles }) => roles.includes(role));
}
