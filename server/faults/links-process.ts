// TCP proxies that pass bytes on, delay them, swallow them, or break off. See links.ts.
import { connect, createServer, type Socket } from 'node:net';
import { answerCalls } from '../test/support/far-ends.ts';
import type { Fate } from './links.ts';

/** Both ways, so a round trip takes twice this. */
const slowMs = 60;

type Place = { fate: Fate; sockets: Set<Socket> };
const places = new Map<string, Place>();

function placeOf(name: string): Place {
  const place = places.get(name) ?? { fate: 'pass', sockets: new Set() };
  places.set(name, place);
  return place;
}

function breakAll({ sockets }: Place): void {
  for (const socket of sockets) socket.destroy();
}

answerCalls({
  async open(name: string, target: number) {
    const place = placeOf(name);
    const server = createServer((near) => join(place, near, target));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  },
  set(name: string, fate: Fate) {
    const place = placeOf(name);
    // Bytes that were swallowed are gone, so a connection that is heard again would be out of step.
    if (fate === 'cut' || place.fate === 'silent') breakAll(place);
    place.fate = fate;
  },
  drop: (name: string) => breakAll(placeOf(name)),
});

function join(place: Place, near: Socket, target: number): void {
  if (place.fate === 'cut') {
    near.destroy();
    return;
  }
  const far = connect(target, '127.0.0.1');
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    const pass = passer(place, other);
    place.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (bytes) => pass(() => other.write(bytes)));
    socket.on('end', () => pass(() => other.end()));
    socket.on('close', () => {
      place.sockets.delete(socket);
      pass(() => other.destroy());
    });
  }
}

/** Does things for one direction in order, each after its delay. */
function passer(place: Place, to: Socket): (act: () => void) => void {
  const waiting: { at: number; act: () => void }[] = [];
  const next = () => {
    for (let [first] = waiting; first; [first] = waiting) {
      if (first.at > performance.now()) return void setTimeout(next, first.at - performance.now());
      waiting.shift();
      if (!to.destroyed) first.act();
    }
  };
  return (act) => {
    if (place.fate === 'silent') return;
    waiting.push({ at: performance.now() + (place.fate === 'slow' ? slowMs : 0), act });
    if (waiting.length === 1) next();
  };
}
