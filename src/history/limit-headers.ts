import { problemField } from './record.ts';
import { type InstantValue, parseReset } from './wait-times.ts';

/**
 * Ways in which targets speak of their limits:
 * - `draft-10`: `RateLimit-Policy: "burst";q=100;w=60` and `RateLimit: "burst";r=50;t=30` (IETF draft, versions 8 to 11);
 * - `draft-7`: `RateLimit: limit=100, remaining=50, reset=30`;
 * - `draft-6`: `RateLimit-Limit`, `-Remaining`, `-Reset`, and `RateLimit-Policy: 100;w=60`;
 * - `x-ratelimit`, `x-rate-limit`: `X-RateLimit-Limit`, `-Remaining`, `-Used`, `-Reset` and their like, never specified.
 */
export type Dialect = 'draft-10' | NumberDialect;
type NumberDialect = 'draft-7' | 'draft-6' | 'x-ratelimit' | 'x-rate-limit';

/** What versions 8 to 11 of the draft forbid in one answer. */
export type DraftBreach =
  | ('q-missing' | 'w-not-positive' | 'r-missing' | 'pk-differs')
  /** Requests remain under a policy that the problem document calls violated. */
  | 'violated-with-quota'
  /** The problem document has another status than the answer. */
  | 'other-status';

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
type StatedNumbers = {
  readonly [Field in keyof Omit<LimitReading, 'dialect' | 'policy'>]?: LimitReading[Field] | undefined;
};

/** Header fields that are said of a limit, as the history keeps them: `name: value`, joined by ` | `. */
const nextHeader = / \| (?=(?:x-)?rate-?limit[\w-]*: )/i;
type HeaderFields = ReadonlyMap<string, string>;

/** Everything that the column `limit_headers` says. Never throws; what cannot be read is not there. */
export function readLimitHeaders(text: string | null): LimitReading[] {
  if (text === null) return [];
  const fields = new Map<string, string>();
  for (const header of text.split(nextHeader)) {
    const colon = header.indexOf(':');
    if (colon > 0) fields.set(header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim());
  }
  return [
    ...readItems(fields),
    ...(['draft-7', 'draft-6', 'x-ratelimit', 'x-rate-limit'] as const).flatMap((dialect) =>
      readNumbers(dialect, fields),
    ),
  ];
}

/** A reading of what is there. */
function reading(dialect: Dialect, policy: string, said: StatedNumbers): LimitReading {
  const there = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { dialect, policy, ...there };
}

const prefixes = { 'draft-6': 'ratelimit-', 'x-ratelimit': 'x-ratelimit-', 'x-rate-limit': 'x-rate-limit-' };

/** The numbers of a dialect in which each has a field: which, of which policy, and what is said. */
function numberFields(dialect: NumberDialect, fields: HeaderFields): (readonly [string, string, string])[] {
  if (dialect === 'draft-7')
    return membersOf(fields, 'ratelimit').flatMap(({ key, value }) =>
      key === undefined ? [] : [[key, '', String(value)] as const],
    );
  const prefix = prefixes[dialect];
  return [...fields].flatMap(([name, text]) => {
    const [, field, policy = ''] =
      /^(limit|remaining|used|reset-after|reset)(?:-(.+))?$/.exec(name.slice(prefix.length)) ?? [];
    return field === undefined || !name.startsWith(prefix) ? [] : [[field, policy, text] as const];
  });
}

/** Windows that stand in a header's name, as `X-RateLimit-Limit-Minute`. */
const namedWindowsMs: Readonly<Record<string, number>> = {
  second: 1e3,
  minute: 60e3,
  hour: 3_600e3,
  day: 86_400e3,
};

/** The live policy, and those that are only announced. */
function readNumbers(dialect: NumberDialect, fields: HeaderFields): LimitReading[] {
  const numbers = numberFields(dialect, fields);
  // Policies alone may belong to any of the older drafts.
  const isAlone = numbers.length === 0 && (dialect === 'draft-7' || fields.has('ratelimit'));
  const announced = dialect.startsWith('draft') && !isAlone ? [...membersOf(fields, 'ratelimit-policy')] : [];
  const live = new Map<string, StatedNumbers>();
  for (const [field, policy, text] of numbers) {
    // Some write as the drafts before 6 did: `100, 100;w=60`.
    const members = field === 'limit' ? (parseMembers(text) ?? []) : [];
    announced.unshift(...members.filter(({ params }) => params.has('w')));
    const said: StatedNumbers = {
      ...(field === 'limit' && { limit: numberOf(members[0]?.value) }),
      ...((field === 'remaining' || field === 'used') && { [field]: numberIn(text) }),
      ...(field.startsWith('reset') && { reset: parseReset(text) ?? parseReset(text.split(',')[0] ?? '') }),
    };
    if (Object.values(said).some((value) => value !== undefined))
      live.set(policy, { windowMs: namedWindowsMs[policy], ...live.get(policy), ...said });
  }
  const stated = announced.flatMap(({ params, value }) =>
    typeof value === 'number' ? [{ limit: value, windowMs: milliseconds(params.get('w')) }] : [],
  );
  const own = live.get('');
  const windowMs = stated.find(({ limit }) => limit === own?.limit)?.windowMs;
  if (own !== undefined) live.set('', { ...own, windowMs });
  for (const each of stated)
    if (each.limit !== own?.limit)
      live.set(
        each.windowMs === undefined ? `${each.limit}` : `${each.limit};w=${each.windowMs / 1e3}`,
        each,
      );
  return [...live].map(([policy, said]) => reading(dialect, policy, said));
}

/** The number that a field holds; the first of several, where a proxy has added another. */
function numberIn(text: string): number | undefined {
  const value = text.split(',')[0]?.trim() ?? '';
  // Plus 0, which makes 0 of -0.
  return /^[+-]?\d{1,30}(\.\d+)?$/.test(value) ? Number(value) + 0 : undefined;
}

/** A request may cost more than one unit, so that some of a violated quota may be left: this part of it, or this number. */
const costPart = 0.05;
const leastCost = 2;

/** The two fields of versions 8 to 11 of the draft, and the problem document that may come with a rejection. */
function readItems(fields: HeaderFields): LimitReading[] {
  const itemsOf = (name: string): readonly Member[] =>
    membersOf(fields, name).filter(({ key, value }) => key === undefined && typeof value === 'string');
  const [items, policies] = [itemsOf('ratelimit'), itemsOf('ratelimit-policy')];
  const [problem, ...violated] = itemsOf(problemField);
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
    // Some versions of the draft had `l`.
    const quota = stated?.get('q') ?? stated?.get('l');
    const windowS = numberOf(stated?.get('w'));
    const left = numberOf(now?.get('r'));
    const keys = [stated?.get('pk'), now?.get('pk')].filter((key) => key !== undefined);
    const hasQuota = (left ?? 0) > Math.max(leastCost, costPart * (numberOf(quota) ?? 0));
    // Fields without numbers say nothing, and are to be ignored.
    const broken: Partial<Record<DraftBreach, boolean>> = {
      'q-missing': windowS !== undefined && quota === undefined,
      'w-not-positive': windowS !== undefined && windowS <= 0,
      'r-missing': typeof now?.get('t') === 'number' && !now.has('r'),
      'pk-differs': new Set(keys).size > 1,
      'violated-with-quota': violated.some(isIt) && hasQuota,
    };
    const breaches = (Object.keys(broken) as DraftBreach[]).filter((breach) => broken[breach] === true);
    return reading('draft-10', policy, {
      limit: numberOf(quota),
      windowMs: milliseconds(windowS),
      remaining: left,
      reset: parseReset(String(now?.get('t') ?? '')),
      breaches: breaches.length === 0 ? undefined : breaches,
      problemStatus: numberOf(problem?.params.get('status')),
    });
  });
}

/** A bare item: strings, tokens and byte sequences as their text. */
type BareItem = string | number | boolean;

function numberOf(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function milliseconds(seconds: BareItem | undefined): number | undefined {
  return typeof seconds === 'number' ? seconds * 1e3 : undefined;
}

/** One member of a list or dictionary of structured fields. `key`: only in a dictionary. */
interface Member {
  readonly key?: string;
  readonly value: BareItem;
  readonly params: ReadonlyMap<string, BareItem>;
}

function membersOf(fields: HeaderFields, name: string): readonly Member[] {
  return parseMembers(fields.get(name) ?? '') ?? [];
}

/**
 * Parses a list or dictionary of structured fields (RFC 9651 4.2), without inner lists, which no rate limit header has.
 * Takes also what deployments write beside the letter of it: spaces around `=` and `;`, names in capitals. Undefined when
 * the text is neither; never throws.
 */
export function parseMembers(text: string): Member[] | undefined {
  let at = 0;
  /** The first group of a sticky pattern that matches here, which is then behind. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match?.[1];
  };
  const bareItem = (): BareItem | undefined => {
    const quoted = take(/\s*"((?:[^"\\]|\\.)*)"/y);
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
    // More digits than these are a number beyond all bounds, and none of a header. Plus 0, which makes 0 of -0.
    const digits = take(/\s*(-?\d{1,30}(?:\.\d+)?)(?![^\s,;])/y);
    if (digits !== undefined) return Number(digits) + 0;
    const bytes = take(/\s*:([\w+/=-]*):/y);
    if (bytes !== undefined) return bytes;
    const flag = take(/\s*\?([01])/y);
    return flag === undefined ? take(/\s*([^\s,;="()]+)/y) : flag === '1';
  };
  const members: Member[] = [];
  do {
    const key = take(/\s*([A-Za-z*][\w.*-]*)\s*=/y)?.toLowerCase();
    const value = bareItem();
    if (value === undefined) return undefined;
    const params = new Map<string, BareItem>();
    for (;;) {
      const name = take(/\s*;\s*([A-Za-z*][\w.*-]*)/y);
      if (name === undefined) break;
      const param = take(/\s*(=)/y) === undefined ? true : bareItem();
      if (param !== undefined) params.set(name.toLowerCase(), param);
    }
    members.push({ ...(key === undefined ? {} : { key }), value, params });
  } while (take(/\s*(,)/y) !== undefined);
  return text.slice(at).trim() === '' ? members : undefined;
}
