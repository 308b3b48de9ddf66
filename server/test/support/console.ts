import type { App } from '../../src/app.ts';
import type { Deps } from '../../src/deps.ts';
import { addStaff, type Staff, type StaffRole } from '../../src/domain/accounts/staff.ts';
import { Visitor } from './visitor.ts';
import type { Answer } from './world.ts';

/** A staff member, and calls of the console's pages in a browser in which they are signed in. */
export type StaffPerson = Staff & {
  visitor: Visitor;
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer>;
};

/** Adds somebody of the role and signs them in, by the click that a sandbox has. */
export async function makeStaff(
  { app, deps }: { app: App; deps: Deps },
  { role, firmId = null, name = `The ${role}` }: { role: StaffRole; firmId?: number | null; name?: string },
): Promise<StaffPerson> {
  const email = `${name.replaceAll(/\W/g, '')}.${firmId ?? 'all'}@staff.example`;
  const staff = await addStaff(deps, { firmId: role === 'operator' ? null : firmId, name, email, role });
  const visitor = new Visitor(app, { address: '203.0.113.9' });
  await visitor.get('/console/sign-in');
  await visitor.post('/console/sign-in/sandbox', { staffId: String(staff.staffId), next: '/console' });
  const { formToken } = (await visitor.get('/console/api/session')).body;
  return {
    ...staff,
    visitor,
    call: (method, path, body) =>
      visitor.call(method, `/console/api${path}`, { body, headers: { 'x-form-token': formToken } }),
  };
}
