import { problemField } from '../../../history/record.ts';
import type { WordColumn } from '../../../limits/sent/columns.ts';
import type { DraftBreach } from '../../reasons/rate-limit/headers.ts';
import { type InstantValue, parseReset } from './instants.ts';
import { type BareItem, type Member, parseMembers } from './structured-fields.ts';

/**
 * Ways in which targets speak of their limits:
 * - `draft-10`: `RateLimit-Policy: "burst";q=100;w=60` and `RateLimit: "burst";r=50;t=30` (IETF draft, versions 8 to 11);
 * - `draft-7`: `RateLimit: limit=100, remaining=50, reset=30`;
 * - `draft-6`: `RateLimit-Limit`, `-Remaining`, `-Reset`, and `RateLimit-Policy: 100;w=60`;
 * - `x-ratelimit`, `x-rate-limit`: `X-RateLimit-Limit`, `-Remaining`, `-Used`, `-Reset` and their like, never specified.
 */
export type Dialect = 'draft-10' | 'draft-7' | 'draft-6' | 'x-ratelimit' | 'x-rate-limit';

/** What one answer says about one policy, in one dialect. Only what is said is there. */
export interface LimitReading {
  readonly dialect: Dialect;
  /** The policy's name; empty where it has none. */
  readonly policy: string;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly remaining?: number;
  readonly used?: number;
  readonly reset?: InstantValue;
  /** What the draft forbids, of this policy. */
  readonly breaches?: readonly DraftBreach[];
  /** The `status` of a problem document (RFC 9457) in the same answer. */
  readonly problemStatus?: number;
}

/** Header fields that are said of a limit, as the history keeps them: `name: value`, joined by ` | `. */
const nextHeader = / \| (?=(?:x-)?rate-?limit[\w-]*: )/i;

const readingsOfColumns = new WeakMap<WordColumn, readonly (readonly LimitReading[])[]>();

/** What each value of the column `limit_headers` says, by its code; the same values are read once for all checks. */
export function readingsOf(column: WordColumn): readonly (readonly LimitReading[])[] {
  const known = readingsOfColumns.get(column);
  if (known !== undefined) return known;
  const readings = column.words.map(readLimitHeaders);
  readingsOfColumns.set(column, readings);
  return readings;
}

/** Everything that the column `limit_headers` says. Never throws; what cannot be read is not there. */
export function readLimitHeaders(text: string | null): LimitReading[] {
  if (text === null) return [];
  const fields = new Map<string, string>();
  for (const header of text.split(nextHeader)) {
    const colon = header.indexOf(':');
    if (colon > 0) fields.set(header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim());
  }
  return [
    ...readStructured(fields),
    ...readDraft7(fields),
    ...readDraft6(fields),
    ...readUnspecified(fields, 'x-ratelimit'),
    ...readUnspecified(fields, 'x-rate-limit'),
  ];
}

function readDraft7(fields: HeaderFields): LimitReading[] {
  const said = new Map(
    membersOf(fields, 'ratelimit').flatMap(({ key, value }) => (key === undefined ? [] : [[key, value]])),
  );
  if (said.size === 0) return [];
  const limit = numberOf(said.get('limit'));
  return withPolicies('draft-7', fields, [], {
    limit,
    remaining: numberOf(said.get('remaining')),
    reset: resetOf(said.get('reset')),
  });
}

function readDraft6(fields: HeaderFields): LimitReading[] {
  const limits = membersOf(fields, 'ratelimit-limit');
  const hasFields = ['limit', 'remaining', 'reset'].some((field) => fields.has(`ratelimit-${field}`));
  // Policies alone may belong to any of the older drafts.
  if (!hasFields && fields.has('ratelimit')) return [];
  return withPolicies('draft-6', fields, limits.slice(1), {
    limit: numberOf(limits[0]?.value),
    windowMs: milliseconds(numberOf(limits[0]?.params.get('w'))),
    remaining: numberIn(fields.get('ratelimit-remaining')),
    reset: resetIn(fields.get('ratelimit-reset')),
  });
}

/** The live reading with the window of its policy, and the policies that are not the live one. */
function withPolicies(
  dialect: Dialect,
  fields: HeaderFields,
  beside: readonly Member[],
  { windowMs, ...live }: StatedValues,
): LimitReading[] {
  const policies = [...beside, ...membersOf(fields, 'ratelimit-policy')].flatMap(({ value, params }) =>
    typeof value === 'number' ? [{ limit: value, windowMs: milliseconds(numberOf(params.get('w'))) }] : [],
  );
  const own = policies.find(({ limit }) => limit === live.limit);
  const others = new Map(
    policies
      .filter(({ limit }) => limit !== live.limit)
      .map((each) => [policyName(each.limit, each.windowMs), each]),
  );
  const isLive = Object.values(live).some((value) => value !== undefined);
  return [
    ...(isLive ? [reading(dialect, '', { ...live, windowMs: windowMs ?? own?.windowMs })] : []),
    ...[...others].map(([name, said]) => reading(dialect, name, said)),
  ];
}

function policyName(limit: number, windowMs: number | undefined): string {
  return windowMs === undefined ? String(limit) : `${limit};w=${windowMs / 1_000}`;
}

/** Windows that stand in a header's name, as `X-RateLimit-Limit-Minute`. */
const namedWindowsMs: Readonly<Record<string, number>> = {
  second: 1e3,
  minute: 60e3,
  hour: 3_600e3,
  day: 86_400e3,
};

const unspecified = {
  'x-ratelimit': /^x-ratelimit-(limit|remaining|used|reset-after|reset)(?:-(.+))?$/,
  'x-rate-limit': /^x-rate-limit-(limit|remaining|used|reset-after|reset)(?:-(.+))?$/,
} as const;

function readUnspecified(fields: HeaderFields, dialect: keyof typeof unspecified): LimitReading[] {
  const policies = new Map<string, StatedValues>();
  for (const [name, text] of fields) {
    const [, field, policy = ''] = unspecified[dialect].exec(name) ?? [];
    const said = field === undefined ? undefined : saidBy(field, text);
    if (said === undefined) continue;
    policies.set(policy, { windowMs: namedWindowsMs[policy], ...policies.get(policy), ...said });
  }
  return [...policies].map(([policy, said]) => reading(dialect, policy, said));
}

function saidBy(field: string, text: string): StatedValues | undefined {
  switch (field) {
    case 'limit': {
      // Some write as the drafts before 6 did: `100, 100;w=60`.
      const [first, ...others] = parseMembers(text) ?? [];
      const limit = numberOf(first?.value);
      const own = [first, ...others].find((each) => each?.params.has('w') && each.value === limit);
      const windowMs = milliseconds(numberOf(own?.params.get('w')));
      return limit === undefined ? undefined : { limit, ...(windowMs === undefined ? {} : { windowMs }) };
    }
    case 'remaining':
      return { remaining: numberIn(text) };
    case 'used':
      return { used: numberIn(text) };
    default:
      return { reset: resetIn(text) };
  }
}

/** The number that a field holds; the first of several, where a proxy has added another. */
function numberIn(text: string | undefined): number | undefined {
  const [first] = text === undefined ? [] : text.split(',');
  const value = first?.trim() ?? '';
  // Plus 0, which makes 0 of -0.
  return /^[+-]?\d{1,30}(\.\d+)?$/.test(value) ? Number(value) + 0 : undefined;
}

function resetIn(text: string | undefined): InstantValue | undefined {
  return text === undefined ? undefined : (parseReset(text) ?? parseReset(text.split(',')[0] ?? ''));
}

/** A request may cost more than one unit, so that some of a violated quota may be left. */
const costPart = 0.05;
const leastCost = 2;

/** The two fields of versions 8 to 11 of the draft, and the problem document that may come with a rejection. */
function readStructured(fields: HeaderFields): LimitReading[] {
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

type ItemParams = ReadonlyMap<string, BareItem>;

/** Fields without numbers say nothing, and are to be ignored. */
function breachesOfPolicy(params: ItemParams): DraftBreach[] {
  const windowS = params.get('w');
  if (typeof windowS !== 'number') return [];
  return [
    ...(params.has('q') || params.has('l') ? [] : (['q-missing'] as const)),
    ...(windowS <= 0 ? (['w-not-positive'] as const) : []),
  ];
}

function hasOtherKey(stated: ItemParams | undefined, now: ItemParams | undefined): boolean {
  const [one, other] = [stated?.get('pk'), now?.get('pk')];
  return one !== undefined && other !== undefined && one !== other;
}

function hasQuota(stated: ItemParams | undefined, now: ItemParams | undefined): boolean {
  const quota = numberOf(stated?.get('q')) ?? 0;
  return (numberOf(now?.get('r')) ?? 0) > Math.max(leastCost, costPart * quota);
}

type HeaderFields = ReadonlyMap<string, string>;

function membersOf(fields: HeaderFields, name: string): readonly Member[] {
  const text = fields.get(name);
  return text === undefined ? [] : (parseMembers(text) ?? []);
}

type StatedValues = {
  readonly [Field in 'limit' | 'windowMs' | 'remaining' | 'used']?: number | undefined;
} & { readonly reset?: InstantValue | undefined } & Pick<LimitReading, 'breaches' | 'problemStatus'>;

/** A reading of what is there. */
function reading(dialect: Dialect, policy: string, said: StatedValues): LimitReading {
  const there = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { dialect, policy, ...there };
}

function numberOf(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function resetOf(value: BareItem | undefined): InstantValue | undefined {
  return value === undefined ? undefined : parseReset(String(value));
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1e3;
}
