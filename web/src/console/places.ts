import type { IconName } from '../look/icons.tsx';
import type { Role } from './session.ts';

/** A page in the navigation, for the roles that may open it. */
export type Place = { to: string; name: string; icon: IconName; roles: readonly Role[] };

const officers = ['compliance_officer'] as const;
const firmStaff = ['reviewer', 'compliance_officer'] as const;

/** In the order in which they are shown. The server decides again about every call. */
// biome-ignore format: a table
export const places: Place[] = [
  { to: '/overview',      name: 'Overview',            icon: 'gauge',           roles: firmStaff },
  { to: '/staff',         name: 'Staff',               icon: 'users',           roles: officers },
];

export function placesOf(role: Role): Place[] {
  return places.filter(({ roles }) => roles.includes(role));
}
