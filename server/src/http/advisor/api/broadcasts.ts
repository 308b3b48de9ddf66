import * as broadcasts from '../../../domain/broadcasts/broadcasts.ts';
import * as requests from '../../../domain/broadcasts/consent-broadcasts.ts';
import type { PersonalPreview } from '../../../domain/broadcasts/previews.ts';
import * as previews from '../../../domain/broadcasts/previews.ts';
import {
  BroadcastParams,
  BroadcastQuery,
  CheckRequest,
  ConsentCheckRequest,
  ConsentStartRequest,
  PreviewRequest,
  RecipientQuery,
  StartRequest,
} from '../../../schemas/broadcasts/broadcasts.ts';
import { endpoint } from '../../door/route.ts';

export const check = endpoint({
  body: CheckRequest,
  isLong: true,
  cost: 4,
  async handler(deps, advisorId, { body }, by) {
    const { refused, ...rest } = await previews.checkBroadcast(deps, advisorId, body, by);
    return { ...rest, refused: refused.map(shownPreview) };
  },
});

export const preview = endpoint({
  body: PreviewRequest,
  isLong: true,
  cost: 2,
  async handler(deps, advisorId, { body }, by) {
    const { data, next } = await previews.previewBroadcast(deps, advisorId, body, by);
    return { data: data.map(shownPreview), next };
  },
});

export const start = endpoint({
  body: StartRequest,
  isLong: true,
  cost: 4,
  handler: async (deps, advisorId, { body }, by) => ({
    broadcastId: await broadcasts.startBroadcast(deps, advisorId, body, by),
  }),
});

export const checkConsent = endpoint({
  body: ConsentCheckRequest,
  isLong: true,
  cost: 4,
  handler: (deps, advisorId, { body }) => requests.checkRequests(deps, advisorId, body.whom),
});

export const startConsent = endpoint({
  body: ConsentStartRequest,
  isLong: true,
  cost: 4,
  handler: async (deps, advisorId, { body }, by) => ({
    broadcastId: await requests.startRequests(deps, advisorId, body, by),
  }),
});

export const list = endpoint({
  query: BroadcastQuery,
  handler: (deps, advisorId, { query }) => broadcasts.listBroadcasts(deps, advisorId, query.before ?? null),
});

export const get = endpoint({
  params: BroadcastParams,
  cost: 2,
  handler: (deps, advisorId, { params }) => broadcasts.getBroadcast(deps, advisorId, params.broadcastId),
});

export const listRecipients = endpoint({
  params: BroadcastParams,
  query: RecipientQuery,
  cost: 2,
  async handler(deps, advisorId, { params, query }) {
    const wanted = { after: query.after, onlyTrouble: query.only === 'trouble' };
    return broadcasts.listBroadcastRecipients(deps, advisorId, params.broadcastId, wanted);
  },
});

export const stop = endpoint({
  params: BroadcastParams,
  handler: (deps, advisorId, { params }, by) => broadcasts.stopBroadcast(deps, advisorId, params.broadcastId, by),
});

function shownPreview({ refused: _, ...rest }: PersonalPreview) {
  return rest;
}
