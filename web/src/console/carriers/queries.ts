import { listQuery } from '../lists.ts';

export type Connection = {
  name: string;
  host: string;
  state: string;
  inFlight: number;
  window: number;
  lastFault: string | null;
};
export type NodeStatus = {
  node: string;
  lastFault: string | null;
  inFlight: number;
  carrier: null | {
    connections: Connection[];
    accepted: number;
    refused: Record<string, number>;
    notTaken: Record<string, number>;
    inDoubt: number;
    throttled: number;
    perSecond: number | null;
    receipts: { delivered: number; undelivered: number; unmatched: number; lagMs: number | null };
  };
  calls?: unknown;
};
export type Carrier = {
  carrierId: number;
  name: string;
  kind: string;
  disabled: boolean;
  settings: Record<string, unknown>;
  waiting: number;
  inDoubt: number;
  nodes: NodeStatus[];
};
export type Field = {
  name: string;
  about: string;
  type: 'string' | 'number' | 'boolean' | 'servers' | 'json';
  choices?: string[];
  isRequired: boolean;
  isSecret: boolean;
};
export type Kind = { kind: string; fields: Field[] };
export type TextingNumber = {
  number: string;
  advisorId: number;
  advisor: string;
  carrier: string | null;
  pace: number | null;
  campaign: string | null;
};

export const liveMs = 3_000;
export const carriersQuery = { ...listQuery<Carrier>('/carriers'), refetchInterval: liveMs };
export const kindsQuery = listQuery<Kind>('/carriers/kinds');
export const numbersQuery = listQuery<TextingNumber>('/numbers');
