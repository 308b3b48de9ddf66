import type { deliveries, list } from '../../../../server/src/http/console/webhooks.ts';
import { get } from '../../api/http.ts';
import type { StateWord } from '../../words/states.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { listQuery } from '../lists.ts';

export type Webhook = RowOf<typeof list>;
export type Delivery = RowOf<typeof deliveries>;

export const webhooksQuery = {
  queryKey: ['/webhooks'],
  queryFn: () => get<AnswerOf<typeof list>>('/webhooks'),
  refetchInterval: 5_000,
};
export const deliveriesQuery = (webhookId: number) => ({
  ...listQuery<Delivery>(`/webhooks/${webhookId}/deliveries`),
  refetchInterval: 5_000,
});

export function stateOf({ status }: Pick<Webhook, 'status'>): StateWord {
  if (status === 'on') return { word: 'On', icon: 'circle-check', tone: 'good' };
  if (status === 'off') return { word: 'Off', icon: 'player-pause', tone: 'bad' };
  return { word: 'Failing', icon: 'alert-triangle', tone: 'warn' };
}

export function typesWords({ types }: Pick<Webhook, 'types'>): string {
  return types === 'all' ? 'All' : types.join(', ');
}
