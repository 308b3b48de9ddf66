import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problem } from '../../domain/problems.ts';
import { pathOf } from './headers.ts';

/** The methods of every path, as the app's routes are added. */
type KnownRoutes = Map<string, Set<string>>;

export function collectRoutes(app: FastifyInstance): KnownRoutes {
  const routes: KnownRoutes = new Map();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = routes.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    routes.set(url, methods);
  });
  return routes;
}

export function noSuchRoute(): Problem {
  return problem('not_found', 'There is no such route.');
}

/** Says what is wrong: the method, a slash too many, no version, or the path. */
export function explainNotFound(request: FastifyRequest, reply: FastifyReply, routes: KnownRoutes): Problem {
  const path = decoded(pathOf(request.raw));
  const methods = methodsOf(path, routes);
  if (methods.length > 0) {
    reply.header('allow', methods.join(', '));
    const shown = new Intl.ListFormat('en').format(methods.filter((method) => method !== 'HEAD'));
    return problem('not_found', `This path has no ${request.method}, only ${shown}.`);
  }
  if (path.endsWith('/') && methodsOf(path.slice(0, -1), routes).length > 0)
    return problem('not_found', 'There is no such route: the path ends with a slash. Remove the slash.');
  if (methodsOf(`/v1${path}`, routes).length > 0)
    return problem('not_found', 'There is no such route: the path must begin with /v1.');
  return noSuchRoute();
}

/** A path of the API. Some pages have a slash at their end. */
export function endsWithSlash(request: FastifyRequest): boolean {
  // Nearly no path does, and this runs for every request: those aren't decoded.
  return /^[^?]*\/(\?|$)/.test(request.raw.url ?? '') && decoded(pathOf(request.raw)).startsWith('/v1/');
}

/** As the router reads it before it matches. */
export function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function methodsOf(path: string, routes: KnownRoutes): string[] {
  const segments = path.split('/');
  const found = [...routes].flatMap(([url, methods]) => (isLike(url.split('/'), segments) ? [...methods] : []));
  return [...new Set(found)].sort();
}

function isLike(route: string[], path: string[]): boolean {
  if (route.length !== path.length) return false;
  return route.every((segment, index) => (segment.startsWith(':') ? path[index] !== '' : segment === path[index]));
}
