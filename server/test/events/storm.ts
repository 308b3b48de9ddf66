import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../src/store/database/db.ts';
import { insertEvents } from '../../src/store/events/new-events.ts';
import type { World } from '../support/world.ts';
import type { Receiver } from '../webhooks/receiver.ts';

/** An advisor whom events are about, one of their members, and the number of their last event before. */
export type Subject = { advisorId: number; memberId: number; last: number };

/** A node, as writers and readers see it. */
export type StormNode = {
  db: Pick<Db, 'transaction'>;
  read(advisorId: number, query: { cursor: string | undefined; pageSize: number; wait: number }): Promise<Page>;
};
type Page = { data: { id: string; data: object }[]; cursor: string; more: boolean };

export type Storm = {
  subjects: Subject[];
  nodes: StormNode[];
  /** Of all nodes together. */
  events: number;
  /** A transaction is about so many advisors at most, and so many events of each. */
  transaction: { subjects: number; events: number };
  /** How many of the five readers' calls are under way at once, and how long each rests after one. */
  calls: number;
  restMs: number;
};

/** What one who must see every event has seen: the first of these should be all, and the others none. */
export type Witness = { seen: number; skipped: number; outOfOrder: number; again: number };
export type Findings = {
  written: number;
  transactions: number;
  rolledBack: number;
  readers: Witness[];
  /** Calls of all readers. */
  calls: number;
  endpoint: Witness;
  /** Requests to the endpoint. */
  tries: number;
};

/** Running: what was found so far, and whether everything is written and everybody has seen it. */
export type Running = { soFar(): Findings; isOver(): boolean; stop(): Promise<void> };

const writersOfEach = 8;
const rollbackShare = 0.1;
/** Before and after the events are numbered, so that transactions commit in another order than they began. */
const delayMs = { before: 5, beforeCommit: 5 };
const delayShare = 0.4;
const pageSizes = [200, 100, 50, 30, 20];
const waitSeconds = 1;
const failureShare = 1 / 3;
/** With more failures in a row, the unluckiest of a million events would wait for half an hour. */
const failuresMax = 6;

/** Advisors whom the world's application may read. There may be thousands, so they are added in SQL. */
export async function castOf({ database, ann, clientId }: World, count: number): Promise<Subject[]> {
  return database.asOwner<Subject>(
    `with added as (
       insert into advisors (firm_id, name, email, time_zone, date_time_created)
       select $1, 'Advisor ' || nth, gen_random_uuid() || '@test.example', 'UTC', now()
       from generate_series(1, $2::integer) as nth
       returning advisor_id
     ),
     granted as (
       insert into grants (advisor_id, application_id, kind, grant_id, scopes, date_time_created, date_time_modified)
       select advisor_id, application_id, 'issued', gen_random_uuid(), '{text.messaging.read}', now(), now()
       from added
       join applications on client_id = $3
     )
     insert into members (advisor_id, phone, last_changed, date_time_created)
     select advisor_id, '+1' || 2125550000 + advisor_id, now(), now()
     from added
     returning advisor_id::integer as "advisorId", member_id::integer as "memberId", 0 as last`,
    [ann.advisor.firmId, count, clientId],
  );
}

/**
 * Writers on every node commit in random order; five readers follow every advisor's feed, each with pages of its own size; and
 * an endpoint fails a third of the time. Each counts what it sees. That takes memory for each advisor, not for each event.
 */
export function startStorm(storm: Storm, receiver: Receiver): Running {
  const { subjects, nodes } = storm;
  const planned = plan(storm);
  const ofSubject = planned.reduce((sum, of) => sum + of, 0);
  const total = ofSubject * subjects.length;
  const counts = { written: 0, transactions: 0, rolledBack: 0, calls: 0, tries: 0 };
  let over = false;
  const isOver = () => over;
  const readers = pageSizes.map((pageSize, index) => {
    const watch = makeWatch(subjects, nodes.length);
    const node = nodes[index % nodes.length] as StormNode;
    return { watch, reading: follow(storm, { node, pageSize, watch, ofSubject, isOver }, counts) };
  });
  const endpoint = makeWatch(subjects, nodes.length);
  receiver.answer = failing(endpoint, subjects, counts);
  const writing = nodes.map((node, index) => write(storm, { node, index, each: planned[index] ?? 0, isOver }, counts));
  const working = Promise.all([...writing.flat(), ...readers.flatMap(({ reading }) => reading)]);
  let failure: unknown;
  working.catch((error) => {
    failure = error;
  });
  const witnesses = [...readers.map(({ watch }) => watch), endpoint];
  return {
    soFar: () => ({ ...counts, readers: readers.map(({ watch }) => watch.witness), endpoint: endpoint.witness }),
    isOver() {
      if (failure) throw failure;
      return counts.written === total && witnesses.every(({ witness }) => witness.seen >= total);
    },
    async stop() {
      over = true;
      await working;
    },
  };
}

/** What the findings say is wrong. */
export function wrongIn({ written, readers, endpoint }: Findings): string[] {
  const witnesses = [
    ...readers.map((each, index) => ({ name: `reader ${index + 1}`, ...each })),
    { name: 'the endpoint', ...endpoint },
  ];
  return witnesses.flatMap(({ name, seen, skipped, outOfOrder, again }) => [
    ...(seen === written ? [] : [`${name} saw ${seen} of ${written} events`]),
    ...(skipped === 0 ? [] : [`${name} skipped ${skipped} events`]),
    ...(outOfOrder === 0 ? [] : [`${name} saw ${outOfOrder} events out of order`]),
    ...(again === 0 || name === 'the endpoint' ? [] : [`${name} saw ${again} events again`]),
  ]);
}

/** How many events each node writes for each advisor. */
function plan({ subjects, nodes, events }: Storm): number[] {
  return nodes.map(() => Math.ceil(events / subjects.length / nodes.length));
}

/**
 * An event of the storm names its node and how many that node wrote before it for its advisor: as the id of a message, which
 * both ways out show.
 */
function nameOf(node: number, nth: number, nodes: number): number {
  return 1 + nth * nodes + node;
}

type Writing = { node: StormNode; index: number; each: number; isOver(): boolean };
type Counts = { written: number; transactions: number; rolledBack: number; calls: number; tries: number };

/** Each writer has advisors of its own on this node, so it knows the order of its commits; the other nodes have them, too. */
function write(
  { subjects, nodes, transaction }: Storm,
  { node, index, each, isOver }: Writing,
  counts: Counts,
): Promise<void>[] {
  return Array.from({ length: writersOfEach }, async (_, writer) => {
    const own = subjects.filter((_, place) => place % writersOfEach === writer).map((of) => ({ ...of, next: 0 }));
    while (own.length > 0 && !isOver()) {
      const some = draw(own, transaction.subjects);
      const events = some.flatMap(({ advisorId, memberId, next }) =>
        Array.from({ length: Math.min(1 + Math.floor(Math.random() * transaction.events), each - next) }, (_, nth) => ({
          ...{ advisorId, memberId, type: 'message.status' as const, status: 'delivered' },
          ...{ messageId: nameOf(index, next + nth, nodes.length), failureCode: null, scheduledMessageId: null },
        })),
      );
      const committed = await node.db
        .transaction(async (db) => {
          if (Math.random() < delayShare) await pause(Math.random() * delayMs.before);
          await insertEvents(db, events, new Date());
          if (Math.random() < delayShare) await pause(Math.random() * delayMs.beforeCommit);
          if (Math.random() < rollbackShare) throw rollback;
          return true;
        })
        .catch((error) => {
          if (error !== rollback) throw error;
          return false;
        });
      counts.transactions += 1;
      if (!committed) {
        counts.rolledBack += 1;
        continue;
      }
      counts.written += events.length;
      for (const of of some) {
        of.next += events.filter(({ advisorId }) => advisorId === of.advisorId).length;
        if (of.next === each) own.splice(own.indexOf(of), 1);
      }
    }
  });
}

const rollback = new Error('The writer changed its mind.');

function draw<Item>(from: Item[], max: number): Item[] {
  const count = 1 + Math.floor(Math.random() * max);
  return [...new Set(Array.from({ length: count }, () => from[Math.floor(Math.random() * from.length)] as Item))];
}

type Reading = { node: StormNode; pageSize: number; watch: Watch; ofSubject: number; isOver(): boolean };

/** Visits the advisors in turn, waiting a little where there is nothing new, until it has seen everything of each. */
function follow({ subjects, calls, restMs }: Storm, reading: Reading, counts: Counts): Promise<void>[] {
  const { node, pageSize, watch, ofSubject, isOver } = reading;
  const queue = subjects.map(({ advisorId }) => ({ advisorId, cursor: undefined as string | undefined }));
  const loops = Math.min(queue.length, Math.ceil(calls / pageSizes.length));
  return Array.from({ length: loops }, async () => {
    for (let next = queue.shift(); next && !isOver(); next = queue.shift()) {
      const { advisorId, cursor } = next;
      const page = await node.read(advisorId, { cursor, pageSize, wait: waitSeconds });
      counts.calls += 1;
      for (const event of page.data) watch.see(event);
      const seenAll = watch.of(advisorId) >= ofSubject;
      if (!seenAll) queue[page.more ? 'unshift' : 'push']({ advisorId, cursor: page.cursor });
      if (restMs > 0 && !page.more) await pause(Math.random() * 2 * restMs);
    }
  });
}

/** Fails at random. What it accepts it has seen. */
function failing(watch: Watch, subjects: Subject[], counts: Counts): Receiver['answer'] {
  const failures = new Map(subjects.map(({ advisorId }) => [advisorId, 0]));
  return ({ body }) => {
    const inARow = failures.get(body.advisorId);
    if (inARow === undefined) return 200;
    counts.tries += 1;
    const fails = inARow < failuresMax && Math.random() < failureShare;
    failures.set(body.advisorId, fails ? inARow + 1 : 0);
    if (fails) return 503;
    watch.see(body);
    return 200;
  };
}

type Watch = { witness: Witness; see(event: { id: string; data: object }): void; of(advisorId: number): number };

function makeWatch(subjects: Subject[], nodes: number): Watch {
  const witness: Witness = { seen: 0, skipped: 0, outOfOrder: 0, again: 0 };
  const known = new Map(
    subjects.map(({ advisorId, last }) => [advisorId, { seen: 0, last, ofNodes: Array(nodes).fill(0) }]),
  );
  return {
    witness,
    of: (advisorId) => known.get(advisorId)?.seen ?? 0,
    see({ id, data }) {
      const [, advisorId = 0, number = 0] = id.split('_').map(Number);
      const of = known.get(advisorId);
      if (!of) return;
      if (number <= of.last) {
        witness.again += 1;
        return;
      }
      witness.skipped += number - of.last - 1;
      of.last = number;
      const name = (data as { messageId: number }).messageId - 1;
      const node = name % nodes;
      if (Math.floor(name / nodes) !== of.ofNodes[node]) witness.outOfOrder += 1;
      of.ofNodes[node] += 1;
      of.seen += 1;
      witness.seen += 1;
    },
  };
}
