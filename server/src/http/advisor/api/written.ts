import type { ProblemCode } from '../../../domain/problems.ts';
import { Type } from '../../../schemas/shared/type.ts';

/** Of an endpoint whose handler writes out its response. */
export const written = { response: Type.Object({}), exact: true as const, problems: [] as ProblemCode[] };
