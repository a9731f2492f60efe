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
  return [...readItems(fields), ...numberDialects.flatMap((dialect) => readNumbers(dialect, fields))];
}

const numberDialects = ['draft-7', 'draft-6', 'x-ratelimit', 'x-rate-limit'] as const;
const prefixes = { 'draft-6': 'ratelimit', 'x-ratelimit': 'x-ratelimit', 'x-rate-limit': 'x-rate-limit' };

/** A number by itself: which, of which policy, and what is said. */
type NumberField = readonly [field: string, policy: string, text: string];

function numberFields(dialect: (typeof numberDialects)[number], fields: HeaderFields): NumberField[] {
  if (dialect === 'draft-7')
    return membersOf(fields, 'ratelimit').flatMap(({ key, value }) =>
      key === undefined ? [] : [[key, '', String(value)] as const],
    );
  const start = `${prefixes[dialect]}-`;
  return [...fields].flatMap(([name, text]) => {
    const [, field, policy = ''] =
      /^(limit|remaining|used|reset-after|reset)(?:-(.+))?$/.exec(name.slice(start.length)) ?? [];
    return field === undefined || !name.startsWith(start) ? [] : [[field, policy, text] as const];
  });
}

/** Windows that stand in a header's name, as `X-RateLimit-Limit-Minute`. */
const namedWindowsMs: Readonly<Record<string, number>> = {
  second: 1e3,
  minute: 60e3,
  hour: 3_600e3,
  day: 86_400e3,
};

/** The dialects in which each number has a field: the live policy, and those that are only announced. */
function readNumbers(dialect: (typeof numberDialects)[number], fields: HeaderFields): LimitReading[] {
  const numbers = numberFields(dialect, fields);
  const isDraft = dialect.startsWith('draft');
  // Policies alone may belong to any of the older drafts.
  const isAlone = numbers.length === 0 && (dialect === 'draft-7' || fields.has('ratelimit'));
  const announced = isDraft && !isAlone ? [...membersOf(fields, 'ratelimit-policy')] : [];
  const live = new Map<string, StatedValues>();
  for (const [field, policy, text] of numbers) {
    // Some write as the drafts before 6 did: `100, 100;w=60`.
    const members = field === 'limit' ? (parseMembers(text) ?? []) : [];
    announced.unshift(...members.filter(({ params }) => params.has('w')));
    const said = valuesOf(field, text, members);
    if (Object.values(said).some((value) => value !== undefined))
      live.set(policy, { windowMs: namedWindowsMs[policy], ...live.get(policy), ...said });
  }
  const stated = announced.flatMap(({ params, value }) =>
    typeof value === 'number' ? [{ limit: value, windowMs: milliseconds(numberOf(params.get('w'))) }] : [],
  );
  const own = live.get('');
  const windowMs = stated.find(({ limit }) => limit === own?.limit)?.windowMs;
  if (own !== undefined) live.set('', { ...own, windowMs });
  for (const each of stated) if (each.limit !== own?.limit) live.set(policyName(each), each);
  return [...live].map(([policy, said]) => reading(dialect, policy, said));
}

function policyName({ limit, windowMs }: { limit: number; windowMs: number | undefined }): string {
  return windowMs === undefined ? String(limit) : `${limit};w=${windowMs / 1_000}`;
}

function valuesOf(field: string, text: string, members: readonly Member[]): StatedValues {
  switch (field) {
    case 'limit':
      return { limit: numberOf(members[0]?.value) };
    case 'remaining':
      return { remaining: numberIn(text) };
    case 'used':
      return { used: numberIn(text) };
    case 'reset':
    case 'reset-after':
      return { reset: parseReset(text) ?? parseReset(text.split(',')[0] ?? '') };
    default:
      return {};
  }
}

/** The number that a field holds; the first of several, where a proxy has added another. */
function numberIn(text: string): number | undefined {
  const value = text.split(',')[0]?.trim() ?? '';
  // Plus 0, which makes 0 of -0.
  return /^[+-]?\d{1,30}(\.\d+)?$/.test(value) ? Number(value) + 0 : undefined;
}

/** A request may cost more than one unit, so that some of a violated quota may be left. */
const costPart = 0.05;
const leastCost = 2;

/** The two fields of versions 8 to 11 of the draft, and the problem document that may come with a rejection. */
function readItems(fields: HeaderFields): LimitReading[] {
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
      reset: parseReset(String(now?.get('t') ?? '')),
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

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1e3;
}
