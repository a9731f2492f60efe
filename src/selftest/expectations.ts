import type { CheckGroup } from '../checks/verdict.ts';
import type { RunKind } from './runs.ts';

/**
 * What is to come of each defect, and the only place besides the reference service that knows their ids: checks are
 * written for properties, and are held here against defects that they know nothing of.
 */
export interface Expectation {
  /** The run that should reveal it. */
  readonly run: RunKind;
  /** A check in one of these has to fail. Others may fail besides. */
  readonly groups: readonly CheckGroup[];
  /** What somebody who is to repair it would have to read in that check's explanation. */
  readonly says: RegExp;
}

function expect(run: RunKind, group: CheckGroup, says: RegExp): Expectation {
  return { run, groups: [group], says };
}

/** By the defect's id. */
export const expectations: Readonly<Record<string, Expectation>> = {
  A1: expect('shoppers', 'contract', /no-key:\S+ got 2\d\d/),
  A2: expect('shoppers', 'contract', /bad-key:\S+ got 500/),
  A4: expect('shoppers', 'contract', /no-key:analytics got 200/),
  A5: expect('shoppers', 'contract', /session of the load key is there for the bystander/),
  A7: expect('launch', 'contract', /While the service was loaded .*never issued got 2\d\d/),

  S1: expect('shoppers', 'contract', /501 shades\b.*answered with 200/),
  S2: expect('shoppers', 'contract', /500 shades\b.*answered with 422/),
  S3: expect('shoppers', 'contract', /501 shades\b.*\b500 of them listed/),
  S4: expect('shoppers', 'contract', /\d+ shades are listed .* a session says .* \d+/),
  S5: expect('shoppers', 'contract', /answered with 422, yet \d+ .* listed/),
  S6: expect('shoppers', 'contract', /\d+ of \d+ entries of the list are repetitions of a SKU/),
  S8: expect('shoppers', 'contract', /name ".*", imported "/),
  S10: expect('shoppers', 'contract', /is missing|\b0 listed/),
  S11: expect('shoppers', 'contract', /finish/),

  N1: expect('shoppers', 'contract', /unknown-session got 200/),
  N2: expect('shoppers', 'contract', /a SKU that is in no catalog was answered with 2\d\d/),
  N3: expect('shoppers', 'analytics', /out of the order/),
  N5: expect('shoppers', 'analytics', /acknowledged but are lost|collapsed/),
  N6: { run: 'shoppers', groups: ['contract', 'analytics'], says: /sent again/ },
  N9: {
    run: 'shoppers',
    groups: ['contract', 'analytics'],
    says: /granted answered 404|canary:read-session got 404/,
  },
  N10: expect('shoppers', 'contract', /acknowledged and arrived at the same time .* not in the history/),
  N11: expect('shoppers', 'contract', /UTC/),
  N12: expect('shoppers', 'contract', /showed [\d,]+( to [\d,]+)? shades? where [\d,]+ (was|were) imported/),
  N13: expect('shoppers', 'contract', /had expired/),

  R1: expect('limiter', 'rate-limit', /none was refused/),
  R2: expect('limiter', 'rate-limit', /\b90, and 100 is promised/),
  R3: expect('limiter', 'rate-limit', /\b101, and 100 is promised/),
  'R3-': expect('limiter', 'rate-limit', /\b99, and 100 is promised/),
  R5: expect('limiter', 'rate-limit', /sliding-log is promised; it is a fixed window/),
  R6: expect('limiter', 'rate-limit', /counts refused|extend/),
  R7: expect('limiter', 'rate-limit', /several nodes/),
  R9: expect('edge', 'rate-limit', /kept by address/),
  R10: expect('edge', 'rate-limit', /Another key is refused .* they share one/),
  R11: expect('edge', 'rate-limit', /have a limit of their own/),
  R12: expect('edge', 'rate-limit', /X-Forwarded-For gives the key a new limit/),
  R13: expect('edge', 'rate-limit', /analytics passes while list-shades is at its limit/),
  R15: expect('edge', 'rate-limit', /asks for (a wait of )?[\d,]{5,} s, yet the same key was admitted/),
  'R15-epoch': expect('edge', 'rate-limit', /looks like an (instant|epoch)/),
  R17: expect('edge', 'rate-limit', /refused .*answers? that says? that more remain/),
  R18: expect('edge', 'rate-limit', /503 in(stead| place) of 429/),
  R20: expect('launch', 'rate-limit', /more than the 100|More passed/),
  R21: expect('limiter', 'rate-limit', /still refused (once|\d+ times) when every limiter/),
  R23: expect('limiter', 'rate-limit', /not refused: they wait/),

  Q1: expect('quota', 'quota', /429 .*in place of 402/),
  Q2: expect('quota', 'quota', /1 more than the quota/),
  'Q2-': expect('quota', 'quota', /after 19 sessions, before the quota of 20/),
  Q3: expect('quota', 'quota', /racing, .* more than the quota/),
  Q5: expect('quota', 'quota', /list-shades 200.* were counted as sessions/),
  Q7: expect('quota', 'quota', /Reads were refused .*got 402/),
  Q8: expect('quota', 'quota', /both spent, sessions were refused with .*(402.*429|429.*402)/),
  Q9: expect('quota', 'quota', /share|other account|another account/),

  Y1: expect('shoppers', 'analytics', /end_date exclusive/),
  Y2: expect('audit', 'analytics', /is counted on \S+, but was opened on/),
  Y4: expect('shoppers', 'analytics', /product_id is not applied/),
  Y6: expect(
    'shoppers',
    'analytics',
    /product_id (is|was) not applied.*top_shades|list is that of all products/,
  ),
  Y7: expect(
    'shoppers',
    'analytics',
    /changes between answers|answered differently.*(totalSessions|avgShadesPerSession|cartIntentRate) /,
  ),
  Y9: expect('shoppers', 'analytics', /a percentage/),
  Y10: expect('shoppers', 'analytics', /integer division|whole number/),
  'Y10-early': expect('shoppers', 'analytics', /rounded to 1 decimal/),
  Y12: expect('shoppers', 'analytics', /changed places/),
  Y14: expect('audit', 'analytics', /no session [\d,]+ ms after one was opened/),
  Y16: expect('shoppers', 'analytics', /returned \d+, \d+ (fewer|more) than/),
  Y17: expect('shoppers', 'analytics', /returned "\S+", expected "\S+ \/ \S+"/),
  Y18: expect('shoppers', 'analytics', /repeated interaction ids were counted again/),
  Y19: expect('shoppers', 'analytics', /sessions with at least one shade|with-shades/),

  P1: expect('busy', 'latency', /by themselves|Every 100th/),
  P2: expect('shoppers', 'latency', /^A list of \d+ shades took .* at the least/),
  P4: expect('busy', 'latency', /did not keep up/),
  P5: expect('busy', 'latency', /stood still/),
};

/** Runs in which what a variant does differently could be taken for a defect, besides `launch`, which judges every group. */
const morePlaces: Readonly<Record<string, readonly RunKind[]>> = {
  'ties-descending': ['audit'],
  'short-top-shades': ['audit'],
  'ties-listed': ['audit'],
  unrounded: ['audit'],
  'cached-analytics': ['audit'],
  'token-bucket': ['limiter'],
  'draft-10-headers': ['limiter'],
  'x-headers': ['limiter'],
  'problem-details': ['quota'],
  'empty-errors': ['quota'],
  slow: ['limiter', 'busy'],
  'clock-ahead': ['limiter', 'audit'],
  'clock-behind': ['limiter', 'audit'],
};

/** The runs in which the service as it is must raise no alarm; `edge` is the first part of `limiter`. */
export const honestRuns: readonly RunKind[] = ['shoppers', 'audit', 'limiter', 'quota', 'launch', 'busy'];

/** The runs in which a variant must raise no alarm. */
export function harmlessRuns(variant: string): readonly RunKind[] {
  return ['launch', ...(morePlaces[variant] ?? [])];
}
