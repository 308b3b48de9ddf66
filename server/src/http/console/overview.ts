import { readFirmOverview } from '../../domain/operations/firm-overview.ts';
import { firmEndpoint } from './endpoint.ts';

export const show = firmEndpoint({ handler: (deps, { firmId }) => readFirmOverview(deps, firmId) });
