import { parseReset, type ResetValue } from './reset-value.ts';
import { type BareItem, type Member, parseMembers } from './structured-fields.ts';

/**
 * Ways in which targets speak of their limits:
 * - `draft-10`: `RateLimit-Policy: "burst";q=100;w=60` and `RateLimit: "burst";r=50;t=30` (IETF draft, since version 8);
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
  readonly reset?: ResetValue;
}

/** Header fields that are said of a limit, as the history keeps them: `name: value`, joined by ` | `. */
const nextHeader = / \| (?=(?:x-)?rate-?limit[\w-]*: )/i;

/** Everything that the column `limit_headers` says. Never throws; what cannot be read is not there. */
export function readLimitHeaders(text: string | null): LimitReading[] {
  if (text === null) return [];
  const fields = new Map<string, string>();
  for (const header of text.split(nextHeader)) {
    const colon = header.indexOf(':');
    if (colon > 0) fields.set(header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim());
  }
  return [
    ...readDraft10(fields),
    ...readDraft7(fields),
    ...readDraft6(fields),
    ...readUnspecified(fields, 'x-ratelimit'),
    ...readUnspecified(fields, 'x-rate-limit'),
  ];
}

type HeaderFields = ReadonlyMap<string, string>;

function membersOf(fields: HeaderFields, name: string): readonly Member[] {
  const text = fields.get(name);
  return text === undefined ? [] : (parseMembers(text) ?? []);
}

function readDraft10(fields: HeaderFields): LimitReading[] {
  const isItem = ({ key, value }: Member): boolean => key === undefined && typeof value === 'string';
  const items = membersOf(fields, 'ratelimit').filter(isItem);
  const policies = membersOf(fields, 'ratelimit-policy').filter(isItem);
  const names = new Set([...policies, ...items].map(({ value }) => String(value)));
  // Quotas of bytes or of requests at once are other matters.
  for (const { value, params } of policies) {
    if ((params.get('qu') ?? 'requests') !== 'requests') names.delete(String(value));
  }
  return [...names].map((policy) => {
    const isIt = ({ value }: Member): boolean => value === policy;
    const stated = policies.find(isIt)?.params;
    const now = items.find(isIt)?.params;
    return reading('draft-10', policy, {
      limit: numberOf(stated?.get('q')),
      windowMs: milliseconds(numberOf(stated?.get('w'))),
      remaining: numberOf(now?.get('r')),
      reset: resetOf(now?.get('t')),
    });
  });
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
  { windowMs, ...live }: SaidValues,
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
  const policies = new Map<string, SaidValues>();
  for (const [name, text] of fields) {
    const [, field, policy = ''] = unspecified[dialect].exec(name) ?? [];
    const said = field === undefined ? undefined : saidBy(field, text);
    if (said === undefined) continue;
    policies.set(policy, { windowMs: namedWindowsMs[policy], ...policies.get(policy), ...said });
  }
  return [...policies].map(([policy, said]) => reading(dialect, policy, said));
}

function saidBy(field: string, text: string): SaidValues | undefined {
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

type SaidValues = {
  readonly [Field in 'limit' | 'windowMs' | 'remaining' | 'used']?: number | undefined;
} & { readonly reset?: ResetValue | undefined };

/** A reading of what is there. */
function reading(dialect: Dialect, policy: string, said: SaidValues): LimitReading {
  const there = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { dialect, policy, ...there };
}

function numberOf(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The number that a field holds; the first of several, where a proxy has added another. */
function numberIn(text: string | undefined): number | undefined {
  const [first] = text === undefined ? [] : text.split(',');
  const value = first?.trim() ?? '';
  return /^[+-]?\d{1,30}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function resetOf(value: BareItem | undefined): ResetValue | undefined {
  return value === undefined ? undefined : parseReset(String(value));
}

function resetIn(text: string | undefined): ResetValue | undefined {
  return text === undefined ? undefined : (parseReset(text) ?? parseReset(text.split(',')[0] ?? ''));
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1e3;
}
