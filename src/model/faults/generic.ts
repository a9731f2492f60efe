import { type ApiCall, hasBadEvent, isMalformed, isOversize, type Outcome } from '../call.ts';
import { featureOf, featuresOf, overlaps } from '../features.ts';
import type { Presence } from '../register.ts';
import { hasBadShade, type Model } from '../stages.ts';
import { admitting, otherwise } from './certainty.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';

/** The last rows: they name no mechanism, only on what the fault depends. They cost more than any row that does. */

const fault = faultsOf('any');
const ops = ['import-shades', 'list-shades', 'create-session', 'read-session', 'interact'] as const;
const effects = {
  'are rejected': 'refused',
  'get 404': 'missing',
  'get 401': 'unauthorized',
  'get 5xx': 'failed',
} as const;
export const effectNames = Object.keys(effects) as (keyof typeof effects)[];
export const outcomeBy = (effect: string): Outcome => effects[effect as keyof typeof effects];

/** Gives some calls that are right another outcome. */
const answering = (m: Model, isMeant: (call: ApiCall) => boolean, outcome: Outcome): Pick<Model, 'admits'> =>
  otherwise(m, (call) => (isMeant(call) ? 'yes' : 'no'), outcome);

/** The effects that a record shows: those of its answers that are wrong. */
export const effectsIn = ({ divergences }: FaultEvidence): readonly (keyof typeof effects)[] =>
  divergences.length === 0
    ? effectNames
    : effectNames.filter((name) =>
        divergences.some(({ kind, of }) => kind === 'status' && of === effects[name]),
      );
export const opsIn = ({ divergences }: FaultEvidence): readonly ApiCall['op'][] =>
  divergences.length === 0 ? ops : [...new Set(divergences.map(({ op }) => op))];

const casesOf =
  (some: readonly (keyof typeof effects)[]) =>
  (evidence: FaultEvidence): { op: ApiCall['op']; effect: keyof typeof effects }[] =>
    opsIn(evidence).flatMap((op) =>
      effectsIn(evidence)
        .filter((effect) => some.includes(effect))
        .map((effect) => ({ op, effect })),
    );

/** Requests that every service has to refuse. */
const malformed: Readonly<Record<string, (call: ApiCall) => boolean>> = {
  'a body that is not as it should be': isMalformed,
  'a shade without a name, a SKU or a colour': hasBadShade,
  'more than 500 shades': isOversize,
};

export const genericFaults = [
  fault('malformed-request-fails', {
    says: 'A request with {what} gets a 5xx.',
    behind: 'A field is used before anything has validated it.',
    over: Object.keys(malformed).map((what) => ({ what })),
    alters: (m, { what }) =>
      admitting(m, (call, allowed) =>
        malformed[what]?.(call) === true && allowed.includes('refused') ? ['failed'] : undefined,
      ),
  }),
  fault('unknown-id-fails', {
    says: 'Calls ({op}) for what does not exist get a 5xx.',
    behind: 'What was looked up is used without a test whether there is any.',
    over: [{ op: 'any' }, { op: 'list-shades' }, { op: 'create-session' }, { op: 'read-session' }],
    alters: (m, { op }) =>
      admitting(m, (call, allowed) => {
        const isPlain = call.form === undefined && !isMalformed(call);
        const isElse = allowed.includes('ok') || allowed.includes('unauthorized');
        const isMissing = isPlain && allowed.includes('missing') && !isElse;
        return isMissing && (op === 'any' || call.op === op) ? ['failed'] : undefined;
      }),
  }),
  fault('malformed-event-accepted', {
    says: 'A malformed batch of events is accepted.',
    behind: 'The channel does not check what it gets.',
    alters: (m) => ({
      ...admitting(m, (call, allowed) => {
        const isBad = call.op === 'interact' && (isMalformed(call) || hasBadEvent(call));
        return isBad && allowed.includes('refused') ? ['ok'] : undefined;
      }),
      // What it makes of them is another question.
      events: (events, call, world) => (isMalformed(call) ? [] : m.events(events, call, world)),
      isCertain: (call, world) => m.isCertain(call, world) && !hasBadEvent(call),
    }),
  }),
  fault('depends-on-value', {
    says: 'Calls ({op}) with {feature} {effect}.',
    behind: 'A rule that meets these calls alone.',
    over: (evidence) => {
      const named = featuresOf(evidence.calls).map(({ name }) => name);
      return opsIn(evidence).flatMap((op) =>
        named.flatMap((feature) => effectsIn(evidence).map((effect) => ({ op, feature, effect }))),
      );
    },
    alters: (m, { effect, feature, op }, { calls }) => {
      const has = featureOf(calls, feature);
      return answering(m, (call) => call.op === op && has(call), outcomeBy(effect));
    },
    price: 5,
  }),
  fault('every-nth-call', {
    says: 'Calls ({op}) {effect} where their number is a multiple of {nth}.',
    behind: 'One of several nodes, taken in turn.',
    over: (evidence) =>
      opsIn(evidence).flatMap((op) =>
        effectsIn(evidence).flatMap((effect) => [2, 3, 4, 5, 10].map((nth) => ({ nth, op, effect }))),
      ),
    alters: (m, { effect, nth, op }, { calls }) => {
      const places = new Map<number, number>();
      // Which of several at the same time was the nth is not known.
      const together = overlaps(calls, (a, b) => a.op === op && b.op === op);
      const isNth = (call: ApiCall): Presence => {
        if (call.op !== op) return 'no';
        if (together.has(call.n) && call.fromMs < call.untilMs) return 'maybe';
        return (places.get(call.n) ?? places.size + 1) % nth === 0 ? 'yes' : 'no';
      };
      return {
        ...otherwise(m, isNth, outcomeBy(effect)),
        notes(call, world) {
          if (call.op === op && call.form !== 'slash' && m.account(call, world) !== undefined)
            places.set(call.n, places.size + 1);
        },
      };
    },
    price: 4,
  }),
  ...(['unexpected-status', 'server-errors'] as const).flatMap((cause) => {
    const over = casesOf(cause === 'server-errors' ? ['get 5xx'] : ['are rejected', 'get 404', 'get 401']);
    const what = cause === 'server-errors' ? 'get a 5xx' : '{effect}';
    return [
      fault(cause, {
        says: `All valid calls ({op}) ${what}.`,
        behind:
          'A stricter validation than the interface says, a missing route or migration, or a wrong setting.',
        over,
        alters: (m, { effect, op }) => answering(m, (call) => call.op === op, outcomeBy(effect)),
        price: 3,
      }),
      fault(cause, {
        says: `Valid calls ({op}) ${what} at times.`,
        behind: 'One of several nodes, a race, an exception that nothing handles, or a pool that runs empty.',
        over,
        alters: (m, { effect, op }) =>
          otherwise(m, (call) => (call.op === op ? 'maybe' : 'no'), outcomeBy(effect)),
        price: 8,
      }),
    ];
  }),
];
