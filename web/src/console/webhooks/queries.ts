import { get } from '../../api/http.ts';
import type { Said } from '../../words/states.ts';
import { listQuery } from '../lists.ts';

export type Webhook = {
  webhookId: number;
  clientId: string;
  application: string;
  url: string;
  types: string[] | 'all';
  status: 'on' | 'failing' | 'off';
  since: string | null;
  reason: string | null;
};
export type Delivery = {
  eventId: string;
  type: string;
  attempt: number;
  status: number | null;
  succeeded: boolean;
  /** Why no response came. */
  why: string | null;
  durationMs: number;
  dateTime: string;
};

export const webhooksQuery = {
  queryKey: ['/webhooks'],
  queryFn: () => get<{ data: Webhook[]; types: string[] }>('/webhooks'),
  refetchInterval: 5_000,
};
export const deliveriesQuery = (webhookId: number) => ({
  ...listQuery<Delivery>(`/webhooks/${webhookId}/deliveries`),
  refetchInterval: 5_000,
});

export function stateOf({ status }: Pick<Webhook, 'status'>): Said {
  if (status === 'on') return { word: 'On', icon: 'circle-check', tone: 'good' };
  if (status === 'off') return { word: 'Off', icon: 'player-pause', tone: 'bad' };
  return { word: 'Failing', icon: 'alert-triangle', tone: 'warn' };
}

export function typesWords({ types }: Pick<Webhook, 'types'>): string {
  return types === 'all' ? 'All' : types.join(', ');
}
