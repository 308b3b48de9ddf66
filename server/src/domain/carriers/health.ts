/** `partly`: some nodes or connections can't hand texts over. `unknown`: no node has told lately. */
export type CarrierHealth = 'good' | 'partly' | 'down' | 'disabled' | 'unknown';

type OpenedCarrier = {
  disabled: boolean;
  nodes: {
    lastFault: string | null;
    carrier: { connections: { state: string }[] } | null;
    calls?: object;
  }[];
};

/** How it does on the nodes that hand texts over: a process that only takes its calls says nothing about that. */
export function healthOf({ disabled, nodes }: OpenedCarrier) {
  const sending = nodes.filter(({ calls }) => !calls);
  const connections = sending.flatMap(({ carrier }) => carrier?.connections ?? []);
  const bound = connections.filter(({ state }) => state === 'bound').length;
  /** Why nodes can't open it. */
  const faults = sending.flatMap(({ lastFault }) => lastFault ?? []);
  const all = connections.length;
  return { state: stateOf(), bound, all, faults };

  function stateOf(): CarrierHealth {
    if (disabled) return 'disabled';
    if (sending.length === 0) return 'unknown';
    if (faults.length === sending.length || (all > 0 && bound === 0)) return 'down';
    return faults.length > 0 || bound < all ? 'partly' : 'good';
  }
}
