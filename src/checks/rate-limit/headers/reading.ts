import type { DraftBreach } from '../../reasons/rate-limit/headers.ts';
import { parseReset, type ResetValue } from './instant.ts';
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
  readonly reset?: ResetValue;
  /** What the draft forbids, of this policy. */
  readonly breaches?: readonly DraftBreach[];
  /** The `status` of a problem document (RFC 9457) in the same answer. */
  readonly problemStatus?: number;
}

export type HeaderFields = ReadonlyMap<string, string>;

export function membersOf(fields: HeaderFields, name: string): readonly Member[] {
  const text = fields.get(name);
  return text === undefined ? [] : (parseMembers(text) ?? []);
}

export type SaidValues = {
  readonly [Field in 'limit' | 'windowMs' | 'remaining' | 'used']?: number | undefined;
} & { readonly reset?: ResetValue | undefined } & Pick<LimitReading, 'breaches' | 'problemStatus'>;

/** A reading of what is there. */
export function reading(dialect: Dialect, policy: string, said: SaidValues): LimitReading {
  const there = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { dialect, policy, ...there };
}

export function numberOf(value: BareItem | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function resetOf(value: BareItem | undefined): ResetValue | undefined {
  return value === undefined ? undefined : parseReset(String(value));
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1e3;
}
