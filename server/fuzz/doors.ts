import fc, { type Arbitrary } from 'fast-check';
import type { TSchema } from 'typebox';
import type { StaffRole } from '../src/domain/accounts/staff.ts';
import { appApiPath, ownOperations } from '../src/http/advisor/api/routes.ts';
import { consoleApiPath, consoleRoutes } from '../src/http/console/routes.ts';
import { type AdvisorApp, makeAdvisorApp } from '../test/support/advisor-app.ts';
import { makeStaff } from '../test/support/console.ts';
import type { Visitor } from '../test/support/visitor.ts';
import type { Schema } from './operations.ts';
import { nearObject, nearText, nearValue, validValue } from './values.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** A call of the app's or the console's own, by somebody who may make it. */
type DoorCall = { method: Method; path: string; who: Who; body: unknown };
type Who = 'advisor' | StaffRole;
type DoorRoute = { method: Method; path: string; who: Who; params?: TSchema; query?: TSchema; body?: TSchema };
type Caller = { visitor: Visitor; formToken: string };

/** Files come in and go out by routes that have no schemas. */
const fileRoutes: DoorRoute[] = [
  { method: 'GET', path: `${appApiPath}/imports/:importId/refused`, who: 'advisor' },
  { method: 'GET', path: `${appApiPath}/media/:replyNumber/:place`, who: 'advisor' },
  { method: 'POST', path: `${appApiPath}/imports`, who: 'advisor' },
  { method: 'POST', path: `${appApiPath}/contacts/export`, who: 'advisor' },
];

export const appDoor: DoorRoute[] = [
  ...ownOperations.map(([method, path, endpoint]) => ({
    ...schemasOf(endpoint),
    method,
    path: appApiPath + path,
    who: 'advisor' as const,
  })),
  ...fileRoutes,
];
export const consoleDoor: DoorRoute[] = consoleRoutes.flatMap(({ method, path, roles, endpoint }) =>
  roles.map((who) => ({ ...schemasOf(endpoint), method, path, who })),
);

/** Sends requests with odd values to a door's routes, one after another. The first answer that is a fault of ours, or undefined. */
export async function fuzzDoor(
  routes: DoorRoute[],
  { requests, seed }: { requests: number; seed: number },
): Promise<string | undefined> {
  const pages = await makeAdvisorApp();
  const callers = new Map<Who, Caller>();
  const call = fc.oneof(...routes.map(callOf));

  async function tryOut({ method, path, who, body }: DoorCall): Promise<void> {
    const { visitor, formToken } = callers.get(who) ?? (await signIn(pages, who));
    callers.set(who, { visitor, formToken });
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await visitor.call(method, path, { ...given, headers: { 'x-form-token': formToken } });
    // It may have disabled whoever sent it, or their firm's consent: then somebody else goes on.
    if (answer.status === 401) callers.delete(who);
    if (answer.status >= 500)
      throw new Error(
        `${who}: ${method} ${path}\n${given.body ?? 'no body'}\n\n${answer.status} ${JSON.stringify(answer.body)}`,
      );
  }

  try {
    const result = await fc.check(fc.asyncProperty(call, tryOut), { seed, numRuns: requests });
    if (!result.failed) return undefined;
    return result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  } finally {
    await pages.close();
  }
}

let staff = 0;

async function signIn(pages: AdvisorApp, who: Who): Promise<Caller> {
  if (who === 'advisor') {
    await pages.world.database.asOwner('update advisors set disabled = false');
    return pages.signedIn();
  }
  const { firmId } = pages.world.ann.advisor;
  const { visitor } = await makeStaff(pages.world, { role: who, firmId, name: `Person ${++staff}` });
  return { visitor, formToken: (await visitor.get(`${consoleApiPath}/session`)).body.formToken };
}

/** With typed schemas on our side, and plain ones for who makes values. */
function schemasOf({ params, query, body }: { params?: TSchema; query?: TSchema; body?: TSchema }) {
  return { ...(params && { params }), ...(query && { query }), ...(body && { body }) };
}

function callOf({ method, path, who, params, query, body }: DoorRoute): Arbitrary<DoorCall> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const values = names.map((name) =>
    pathValue((params as Schema | undefined)?.properties?.[name] ?? { type: 'integer' }),
  );
  return fc
    .tuple(fc.tuple(...values), search(query as Schema), content(body as Schema))
    .map(([values, search, body]) => {
      let place = 0;
      const filled = path.replace(/:\w+/g, () => encodeURIComponent(String(values[place++]).toWellFormed()));
      return { method, path: filled + search, who, body };
    });
}

/** Low ids are often somebody's or something's. */
function pathValue(schema: Schema): Arbitrary<unknown> {
  const isNumber = schema.type === 'integer';
  const likely = isNumber
    ? fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1_000, max: 1_004 }))
    : one(schema);
  return fc.oneof({ weight: 4, arbitrary: likely }, { weight: 1, arbitrary: nearText(schema) });
}

function search(schema: Schema | undefined): Arbitrary<string> {
  const fields = Object.entries(schema?.properties ?? {}).map(([name, each]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: one(each).map(String) }, { weight: 1, arbitrary: nearText(each) }),
  ]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] }).map((values) => {
    const pairs = Object.entries(values).map(
      ([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
    );
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  });
}

function content(schema: Schema | undefined): Arbitrary<unknown> {
  if (!schema) return fc.constant(undefined);
  return fc.oneof(
    { weight: 4, arbitrary: one(schema) },
    { weight: 4, arbitrary: nearObject(plain(schema)) },
    { weight: 1, arbitrary: nearValue(schema) },
  );
}

function one(schema: Schema): Arbitrary<unknown> {
  return validValue(plain(schema));
}

/** Of several shapes, any: `validValue` knows none that are combined. */
function plain(schema: Schema & { anyOf?: Schema[] }): Schema {
  const [first = schema] = schema.anyOf ?? [];
  const { items, properties, ...rest } = schema.anyOf ? first : schema;
  return {
    ...rest,
    ...(items && { items: plain(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, plain(each)])),
    }),
  };
}
