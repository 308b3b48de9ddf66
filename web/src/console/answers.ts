import type { ConsoleEndpoint } from '../../../server/src/http/console/endpoint.ts';
import type { Json } from '../api/types.ts';

/** What an endpoint of the console answers, by its handler: pages and server can't disagree about it. */
export type AnswerOf<Endpoint extends ConsoleEndpoint> = Json<Awaited<ReturnType<Endpoint['handler']>>>;

/** A row of a list that it answers. */
export type RowOf<Endpoint extends ConsoleEndpoint<{ data: unknown[] }>> = AnswerOf<Endpoint>['data'][number];
