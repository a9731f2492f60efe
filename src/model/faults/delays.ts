import { saidBy } from '../answer.ts';
import { type ApiCall, mayHaveEffect, type Outcome, outcomeOf } from '../call.ts';
import { expectedOf } from '../expect.ts';
import type { Presence } from '../register.ts';
import type { Item, Model } from '../stages.ts';
import type { World } from '../world.ts';
import { isLater, optional, unsureAtOnce } from './certainty.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';
import { effectNames, outcomeBy } from './generic.ts';

/** Replicas, connections and races: what a read shows is right for another instant, or an effect is lost. */

const fault = faultsOf('any');
/** What reads of it show. */
const areaOfRead = {
  'list-shades': 'shades',
  'read-session': 'events',
  'create-session': 'sessions',
  analytics: 'any',
} as const;
/** Whether a later answer makes up for a wrong one. Nothing else tells an answer that is behind from one that leaves something out. */
function isMadeUpFor(op: ApiCall['op'], { calls, divergences }: FaultEvidence): boolean {
  const subjectOf = ({ catalog, product, session }: ApiCall): string =>
    `${session} ${catalog} ${op === 'analytics' ? product : ''}`;
  const wrong = new Set(divergences.map(({ call, of }) => `${call} ${of}`));
  const alike = Map.groupBy(
    calls.filter((each) => each.op === op && outcomeOf(each) === 'ok'),
    subjectOf,
  );
  return divergences.some(({ call: n, of }) => {
    const later = [...alike.values()].find((each) => each.some((call) => call.n === n)) ?? [];
    const end = later.find((call) => call.n === n)?.untilMs ?? Number.POSITIVE_INFINITY;
    return later.some((call) => call.fromMs >= end && !wrong.has(`${call.n} ${of}`));
  });
}
/** What is seen of reads that are behind: always, and at times. */
const reads = [
  ['list-shades', 'shades-listed-late', 'What was imported is listed', 'lists-differ', 'Lists are'],
  ['read-session', 'history-late', 'Events show in a history', 'history-changes', 'Histories are'],
  [
    'create-session',
    'shade-count-wrong',
    'New sessions count imports',
    'shade-count-wrong',
    'Counts of new sessions are',
  ],
  ['analytics', 'stale-analytics', 'Analytics count what was sent', 'stale-analytics', 'Analytics are'],
] as const;

/** Calls that see what was there so long ago: from the one instant to the other. Whether something exists is looked up now; of lists, that is one question. */
const lagging = (m: Model, op: ApiCall['op'], most: number, least: number): Partial<Model> => ({
  span: (call, world) => {
    const { fromMs, untilMs } = m.span(call, world);
    return call.op === op
      ? { fromMs: fromMs - 1_000 * most, untilMs: untilMs - 1_000 * least }
      : { fromMs, untilMs };
  },
  ...(op !== 'list-shades' && {
    admits: (right, call, world) =>
      call.op === op ? expectedOf(m, world, call).outcomes : m.admits(right, call, world),
  }),
});

const openerOf = ({ session }: ApiCall, { byNumber }: World): ApiCall | undefined =>
  session === undefined ? undefined : byNumber.get(session);

/** Stands for a connection on which calls are right. */
const healthySide = -1;

/** Where none takes a call and none of its answers is wrong, nothing depends on the connection. */
function hasHealthyLine({ calls, divergences }: FaultEvidence): boolean {
  const wrong = new Set(divergences.map(({ call }) => call));
  const faulty = new Set(calls.flatMap(({ line, n }) => (wrong.has(n) ? [line] : [])));
  return calls.some((call) => !faulty.has(call.line) && outcomeOf(call) === 'ok');
}

/**
 * Connections have one of two sides, and a call is right only where its connection has the side of another one. The first
 * call on a connection shows its side; every later call has to agree.
 */
function bySide(
  m: Model,
  otherLine: (call: ApiCall, world: World) => number | undefined,
  wrong: Outcome,
): Partial<Model> {
  const sides = new Map<number, { readonly side: boolean; readonly shownBy: number }>([
    [healthySide, { side: true, shownBy: -1 }],
  ]);
  const sideOf = (line: number, call: ApiCall): boolean | undefined => {
    const known = sides.get(line);
    return known?.shownBy === call.n ? undefined : known?.side;
  };
  return {
    admits: (right, call, world) => {
      const allowed = m.admits(right, call, world);
      const line = otherLine(call, world);
      if (line === undefined || line === call.line || !allowed.includes('ok')) return allowed;
      const own = sideOf(call.line, call);
      const other = sideOf(line, call);
      if (own === undefined || other === undefined) return [...new Set([...allowed, wrong])];
      return own === other ? allowed : [wrong];
    },
    notes(call, world) {
      const line = otherLine(call, world);
      const outcome = outcomeOf(call);
      if (line !== undefined && line !== call.line && (outcome === 'ok' || outcome === wrong)) {
        const isSame = outcome === 'ok';
        if (!sides.has(line) && !sides.has(call.line)) sides.set(line, { side: true, shownBy: call.n });
        const [own, other] = [sides.get(call.line), sides.get(line)];
        if (own === undefined && other !== undefined)
          sides.set(call.line, { side: other.side === isSame, shownBy: call.n });
        if (other === undefined && own !== undefined)
          sides.set(line, { side: own.side === isSame, shownBy: call.n });
      }
    },
  };
}

const ageOf = ({ register }: Item, call: ApiCall, ms: number): Presence => {
  const [earliest] = register;
  return earliest === undefined ? 'yes' : isLater(call, earliest, ms);
};

/** Writes that a read may come soon after. */
const writesBefore: Readonly<Record<string, (each: ApiCall, read: ApiCall, catalog?: string) => boolean>> = {
  'an import of its catalog': (each, _, catalog) => each.op === 'import-shades' && each.catalog === catalog,
  'another session is opened for its catalog': (each, { session }, catalog) =>
    each.op === 'create-session' && each.catalog === catalog && each.n !== session,
  'any import': ({ op }) => op === 'import-shades',
};
export const delayFaults = [
  ...reads.map(([op, late, says]) =>
    faultsOf(areaOfRead[op])(late, {
      says: `${says} only after {seconds} s.`,
      behind: 'A replica, an index, a cache or a queue that is behind.',
      over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
      alters: (m, { seconds }) => lagging(m, op, seconds, seconds),
    }),
  ),
  ...reads.map(([op, , , differs, says]) =>
    faultsOf(areaOfRead[op])(differs, {
      says: `${says} at times up to {seconds} s behind.`,
      behind: 'Some of several replicas or nodes are behind.',
      over: (evidence) =>
        evidence.divergences.length === 0 || op === 'create-session' || isMadeUpFor(op, evidence)
          ? [1, 5, 30, 300].map((seconds) => ({ seconds }))
          : [],
      alters: (m, { seconds }) => lagging(m, op, seconds, 0),
      price: 4,
    }),
  ),
  fault('shades-listed-late', {
    says: 'A new shade is listed only after {seconds} s, though a change of an old one shows at once.',
    behind: 'The list takes its rows from an index that is behind, and their values from the store.',
    over: [0.5, 1, 2, 3, 5, 10, 30].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        if (call.op !== 'list-shades') return shown;
        const ages = shown.items.map((item) => ({ item, age: ageOf(item, call, 1_000 * seconds) }));
        const items = ages
          .filter(({ age }) => age !== 'no')
          .map(({ age, item }) => (age === 'yes' ? item : optional(item)));
        return { ...shown, items };
      },
    }),
  }),
  fault('depends-on-connection', {
    says: 'A session is found only over connections to the process that opened it.',
    behind: 'Each process keeps its sessions in its own memory, and a balancer distributes connections.',
    alters: (m) => bySide(m, (call, world) => openerOf(call, world)?.line, 'missing'),
    price: 2,
  }),
  fault('depends-on-connection', {
    says: 'Whether calls {effect} depends on the connection.',
    behind: 'One of several processes or nodes is faulty, and a balancer distributes connections.',
    over: (evidence) => (hasHealthyLine(evidence) ? effectNames.map((effect) => ({ effect })) : []),
    alters: (m, { effect }) => bySide(m, () => healthySide, outcomeBy(effect)),
    price: 2,
  }),
  fault('imports-mixed-up', {
    says: 'An import may be overwritten by one that was answered up to {seconds} s before it was sent.',
    behind: 'Several consumers of one queue take jobs of one catalog at the same time.',
    over: [0.2, 0.5, 1, 2, 5, 10].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => ({ placedMs: (call) => m.placedMs(call) + 1_000 * seconds }),
    price: 2,
  }),
  ...(
    [
      ['list-shades', 'lists-differ', 'A list'],
      ['read-session', 'history-changes', 'A history'],
    ] as const
  ).map(([op, cause, subject]) =>
    fault(cause, {
      says: `${subject} is empty until {seconds} s after {what}.`,
      behind: 'Rows that are locked are skipped, or a table or a cache is emptied before it is filled again.',
      over: Object.keys(writesBefore).flatMap((what) =>
        [0.1, 0.2, 0.3, 0.5, 1, 2].map((seconds) => ({ seconds, what })),
      ),
      alters: (m, { seconds, what }) => ({
        shows: (list, call, world) => {
          const shown = m.shows(list, call, world);
          if (call.op !== op) return shown;
          const catalog = call.catalog ?? world.sessions.get(call.session ?? -1)?.catalog;
          const lasts = world.calls.filter(
            (each) =>
              each.fromMs < call.untilMs &&
              call.fromMs < each.untilMs + 1_000 * seconds &&
              mayHaveEffect(each) &&
              m.account(each, world) === m.account(call, world) &&
              writesBefore[what]?.(each, call, catalog) === true,
          );
          if (lasts.length === 0) return shown;
          const isSure = lasts.some(
            (each) => each.untilMs <= call.fromMs && call.untilMs <= each.fromMs + 1_000 * seconds,
          );
          const { events, shades } = saidBy(call);
          // It is empty, or it is whole.
          return isSure || (events ?? shades)?.length === 0 ? { items: [] } : shown;
        },
      }),
      price: 2,
    }),
  ),
  ...(
    [
      ['import-shades', 'concurrent-imports-lost', 'shades-missing', 'imports', 'imports to one catalog'],
      ['interact', 'concurrent-interactions-lost', 'interactions-lost', 'events', 'batches to one session'],
    ] as const
  ).flatMap(([op, concurrent, lost, what, which]) => [
    fault(concurrent, {
      says: `Of ${which} at the same time, some are lost in part or as a whole.`,
      behind: 'What is there is read, changed and written back without a lock.',
      alters: (m, _, { calls }) => unsureAtOnce(m, calls, op),
      price: 3,
    }),
    fault(lost, {
      says: `Accepted ${what} are lost at times.`,
      behind: 'A queue that drops, or a write that is not awaited.',
      alters: (m) => ({ isCertain: (call, world) => m.isCertain(call, world) && call.op !== op }),
      price: 8,
    }),
  ]),
];
