import { readReport } from '../../domain/supervision/review-reports.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { ReportQuery } from '../../schemas/supervision/lexicons.ts';
import { firmEndpoint } from './endpoint.ts';

export const show = firmEndpoint({
  query: ReportQuery,
  cost: 2,
  handler: (deps, { firmId }, { query: { from, until } }) =>
    readReport(deps, firmId, { from: instantOf(from), until: instantOf(until) }),
});
