import { problemField } from '../../../history/record.ts';
import type { DraftBreach } from '../../reasons/rate-limit/headers.ts';
import {
  type HeaderFields,
  type LimitReading,
  membersOf,
  milliseconds,
  numberOf,
  reading,
  resetOf,
} from './reading.ts';
import type { BareItem, Member } from './structured-fields.ts';

/** A request may cost more than one unit, so that some of a violated quota may be left. */
const costPart = 0.05;
const leastCost = 2;

/** The two fields of versions 8 to 11 of the draft, and the problem document that may come with a rejection. */
export function readStructured(fields: HeaderFields): LimitReading[] {
  const items = membersOf(fields, 'ratelimit').filter(isItem);
  const policies = membersOf(fields, 'ratelimit-policy').filter(isItem);
  const [problem, ...violated] = membersOf(fields, problemField).filter(isItem);
  const problemStatus = numberOf(problem?.params.get('status'));
  // Of several, what is not announced may be a quota of anything.
  const known = items.length > 1 ? policies : [...policies, ...items];
  const names = new Set(known.map(({ value }) => String(value)));
  // Quotas of bytes or of requests at once are other matters.
  for (const { value, params } of policies) {
    if ((params.get('qu') ?? 'requests') !== 'requests') names.delete(String(value));
  }
  return [...names].map((policy) => {
    const isIt = ({ value }: Member): boolean => value === policy;
    const stated = policies.find(isIt)?.params;
    const now = items.find(isIt)?.params;
    const breaches = [
      ...(stated === undefined ? [] : breachesOfPolicy(stated)),
      ...(typeof now?.get('t') === 'number' && !now.has('r') ? (['r-missing'] as const) : []),
      ...(hasOtherKey(stated, now) ? (['pk-differs'] as const) : []),
      ...(violated.some(isIt) && hasQuota(stated, now) ? (['violated-with-quota'] as const) : []),
    ];
    return reading('draft-10', policy, {
      // Some versions of the draft had `l`.
      limit: numberOf(stated?.get('q') ?? stated?.get('l')),
      windowMs: milliseconds(numberOf(stated?.get('w'))),
      remaining: numberOf(now?.get('r')),
      reset: resetOf(now?.get('t')),
      ...(breaches.length === 0 ? {} : { breaches }),
      ...(problemStatus === undefined ? {} : { problemStatus }),
    });
  });
}

function isItem({ key, value }: Member): boolean {
  return key === undefined && typeof value === 'string';
}

type Params = ReadonlyMap<string, BareItem>;

/** Fields without numbers say nothing, and are to be ignored. */
function breachesOfPolicy(params: Params): DraftBreach[] {
  const windowS = params.get('w');
  if (typeof windowS !== 'number') return [];
  return [
    ...(params.has('q') || params.has('l') ? [] : (['q-missing'] as const)),
    ...(windowS <= 0 ? (['w-not-positive'] as const) : []),
  ];
}

function hasOtherKey(stated: Params | undefined, now: Params | undefined): boolean {
  const [one, other] = [stated?.get('pk'), now?.get('pk')];
  return one !== undefined && other !== undefined && one !== other;
}

function hasQuota(stated: Params | undefined, now: Params | undefined): boolean {
  const quota = numberOf(stated?.get('q')) ?? 0;
  return (numberOf(now?.get('r')) ?? 0) > Math.max(leastCost, costPart * quota);
}
