import type { PromisedLimit } from '../../../limits/fit.ts';
import type { Span } from '../../../limits/span.ts';
import type { SentRequest } from '../streams.ts';
import { type Dialect, type LimitReading, readLimitHeaders } from './dialects.ts';

/** What the headers are held against. */
export interface HeaderContext {
  readonly promised: PromisedLimit;
  /** What the target's clock showed at the run's zero, nanoseconds since 1970. */
  readonly clock: Span;
  /** Nobody can have used the keys before the run. */
  readonly isFresh: boolean;
  /** How long after its sending a request without an answer may still be counted. */
  readonly lostForNs: number;
}

/** Requests that may share one limit, each list in order of sending. */
export interface HeaderStream {
  readonly requests: readonly SentRequest[];
  /** Whatever may spend that limit as well: others' requests, unless a limit of its own is promised to each key. */
  readonly competing: readonly SentRequest[];
  /** Those of one key surely do share one: some limiter of them all, and of exactly the promised limit, explains every answer. */
  readonly isOneLimit: boolean;
  /** The answers leave no other limiter than one of fixed windows, which knows at any time when the next begins. */
  readonly isFixedWindow: boolean;
}

/** An answer with what it says about one policy. */
export interface ToldAnswer {
  readonly seq: number;
  readonly sentNs: number;
  readonly answeredNs: number;
  /** Refused, or else admitted. */
  readonly limited: boolean;
  readonly said: LimitReading;
  /** The least that remains by any policy of the same dialect. */
  readonly leastRemaining: number | undefined;
}

/** Instants, each list ascending. */
export interface Instants {
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
}

/** What one dialect says of one policy to one key on one endpoint: whose limit it is, is not shown, but that is no more than one. */
export interface Series {
  readonly dialect: Dialect;
  readonly policy: string;
  /** In order of sending. */
  readonly answers: readonly ToldAnswer[];
  /** Every request of this key on this endpoint. */
  readonly own: readonly SentRequest[];
  /** What surely spent the limit. */
  readonly spent: Instants;
  /** Everything that can have spent it. */
  readonly possible: Instants;
  readonly isFixedWindow: boolean;
}

/** A target that counts in the background may show what was true so long ago. */
export function lagNs({ promised }: HeaderContext): number {
  return Math.min(1e9, promised.windowNs / 60);
}

/** Sent so that they may count elsewhere than other requests of the key. */
const elsewhere: ReadonlySet<string> = new Set(['scope:other-address', 'scope:forwarded']);

/** A 2xx or a 429 comes from the limiter, or from behind it; any other answer may come from before it. */
export function isAdmitted({ status }: SentRequest): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Sorts what the answers of a stream say. Acts of shoppers may spend no limit and still carry its headers: they are left out. */
export function seriesOf({ requests, competing, isOneLimit, isFixedWindow }: HeaderStream): Series[] {
  const possible = instants(competing);
  const counted = requests.filter(
    ({ endpoint, probe }) => endpoint !== 'interact' && (probe === null || !elsewhere.has(probe)),
  );
  const scopes = Map.groupBy(counted, ({ charged_to, endpoint }) => `${charged_to} ${endpoint}`);
  return [...scopes.values()].flatMap((own) => {
    const told = own.flatMap(toldBy);
    if (told.length === 0) return [];
    const ofKey = counted.filter(({ charged_to }) => charged_to === own[0]?.charged_to);
    const spent = instants((isOneLimit ? ofKey : own).filter(isAdmitted));
    const policies = Map.groupBy(told, ({ said }) => `${said.dialect} ${said.policy}`);
    return [...policies.values()].flatMap((answers) => {
      const [first] = answers;
      if (first === undefined) return [];
      const { dialect, policy } = first.said;
      return [{ dialect, policy, answers, own, spent, possible, isFixedWindow }];
    });
  });
}

function toldBy(request: SentRequest): ToldAnswer[] {
  if (request.status !== 429 && !isAdmitted(request)) return [];
  const readings = readLimitHeaders(request.limit_headers);
  return readings.map((said) => {
    const left = readings.flatMap(({ dialect, remaining }) =>
      dialect === said.dialect && remaining !== undefined ? [remaining] : [],
    );
    return {
      seq: request.seq,
      sentNs: request.sent_ns,
      answeredNs: request.answered_ns,
      limited: request.status === 429,
      said,
      leastRemaining: left.length === 0 ? undefined : Math.min(...left),
    };
  });
}

function instants(requests: readonly SentRequest[]): Instants {
  return {
    sentNs: new Float64Array(requests.map(({ sent_ns }) => sent_ns)).sort(),
    answeredNs: new Float64Array(requests.map(({ answered_ns }) => answered_ns)).sort(),
  };
}

/** The limit that a series speaks of: what it says itself, else the promised one. */
export function limitOf({ answers }: Series, { promised }: HeaderContext): number {
  return answers.reduce((most, { said }) => Math.max(most, said.limit ?? 0), 0) || promised.requests;
}

/** The window that a series speaks of; undefined when it says nothing of it and speaks of another limit than the promised. */
export function windowNsOf(series: Series, context: HeaderContext): number | undefined {
  const said = series.answers.find(({ said: { windowMs } }) => windowMs !== undefined)?.said.windowMs;
  if (said !== undefined) return said * 1e6;
  return limitOf(series, context) === context.promised.requests ? context.promised.windowNs : undefined;
}
