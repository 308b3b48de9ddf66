import { detectorNames } from '../../domain/supervision/detectors.ts';
import { dryRun as runDry } from '../../domain/supervision/dry-runs.ts';
import {
  getLexicon,
  getLexiconVersion,
  isWeaker,
  listLexiconHistory,
  setLexicon,
  tryRules,
} from '../../domain/supervision/lexicons.ts';
import { LexiconChange, LexiconDraft, LexiconQuery, LexiconTrial } from '../../schemas/supervision/lexicons.ts';
import { firmEndpoint } from './endpoint.ts';

export const get = firmEndpoint({
  query: LexiconQuery,
  async handler(deps, { firmId }, { query: { version } }) {
    const present = await getLexicon(deps, firmId);
    const shown = version === undefined ? present : await getLexiconVersion(deps, firmId, version);
    const history = await listLexiconHistory(deps, firmId);
    return { ...shown, present: present.version, detectors: detectorNames, history };
  },
});

export const set = firmEndpoint({
  body: LexiconChange,
  isLong: true,
  isFresh: async (deps, { firmId }, { body }) => isWeaker((await getLexicon(deps, firmId)).rules, body.rules),
  handler: (deps, { firmId, staffId }, { body: { rules, basedOn } }, by) =>
    setLexicon(deps, firmId, JSON.stringify({ rules }), { by, setBy: staffId, basedOn }),
});

export const dryRun = firmEndpoint({
  body: LexiconDraft,
  isLong: true,
  cost: 2,
  handler: (deps, { firmId }, { body }) => runDry(deps, firmId, JSON.stringify(body)),
});

export const trial = firmEndpoint({
  body: LexiconTrial,
  isLong: true,
  handler: (deps, _, { body: { rules, text } }) => tryRules(deps, JSON.stringify({ rules }), text),
});
