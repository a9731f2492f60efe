import { fileURLToPath } from 'node:url';
import type { CauseCode } from '../../checks/causes/cause.ts';
import { programFile } from '../../program-files.ts';
import type { ProfileInput } from '../../target/profile.ts';
import { parseRateLimit, type RateLimit } from '../../vocabulary/quantities.ts';

/**
 * The runs of a selftest, each named after its scenario. `edge` is the study of the limiter again, cut short after
 * the tests at the limit.
 */
export type RunKind = 'shoppers' | 'audit' | 'limiter' | 'edge' | 'quota' | 'launch' | 'busy' | 'crossed';

/** The long ones are to be begun first. */
export const longestFirst: readonly RunKind[] = [
  ...(['limiter', 'launch', 'quota', 'edge', 'busy', 'crossed', 'shoppers', 'audit'] as const),
];

/** The service as it is, among the variants. */
export const honest = 'honest';

/** The limits of the service in a run, as a user would say them. Without them, the service's defaults. */
interface Limits {
  readonly rateLimit?: string;
  readonly quota?: number;
}

/** A minute is scaled to 6 s: what takes minutes of a deployment takes seconds here. */
const scaled: Limits = { rateLimit: '100/6s', quota: 20 };
/** Runs without an entry are not about the limits. */
const limits: Partial<Readonly<Record<RunKind, Limits>>> = {
  limiter: scaled,
  edge: scaled,
  quota: scaled,
  launch: scaled,
};
const usual = { rateLimit: '1000/1m', quota: 200 } as const satisfies Limits;

/** The limits that a service for a run of this kind is started with. */
export function limitsOf(kind: RunKind): { readonly rateLimit: RateLimit; readonly quota: number } {
  const { quota, rateLimit } = { ...usual, ...limits[kind] };
  return { rateLimit: parseRateLimit(rateLimit), quota };
}

/** The profile for a service with a defect: its promises, and that this machine may be busy with other runs. */
export const promising: ProfileInput = {
  // Against bounds of over a second, and defects of several.
  send_lag_bound: '400ms',
};

/** The profile for a variant: only what a deployment that promises the interface alone would give. */
export const promisingLittle: ProfileInput = {
  ...promising,
  limiter: 'unspecified',
  retry_after: 'unspecified',
  analytics: { freshness: '1s', exclusive: true },
};

/** Arguments for `tryon`: the run of this kind, into a folder. */
export function runArguments(kind: RunKind, seed: number, out: string, profile: string): string[] {
  const scenario = kind === 'edge' ? 'limiter' : kind;
  const { quota, rateLimit } = limits[kind] ?? {};
  return [
    'run',
    fileURLToPath(programFile(`commands/selftest/scenarios/${scenario}`)),
    ...(rateLimit === undefined ? [] : ['--rate-limit', rateLimit]),
    ...(quota === undefined ? [] : ['--quota', String(quota)]),
    ...(kind === 'edge' ? ['--budget', '30s'] : []),
    ...['--seed', String(seed), '--out', out, '--profile', profile],
  ];
}

/**
 * The expected result of each defect. Only this file and the reference service know their ids: checks are written for
 * properties, and are tested here against defects that they do not know.
 */
export interface ExpectedResult {
  /** The run that should reveal it. */
  readonly run: RunKind;
  /** The probable cause that the run has to name first. */
  readonly cause: CauseCode;
  /** The cause of a service that was started apart, where its answers alone show no more. */
  readonly causeApart: CauseCode;
}

/** A run of the service as it is, with a harmless variant, or with a defect. */
export interface Case {
  /** Of the defect; the variant's name; or `honest`. */
  readonly id: string;
  readonly title: string;
  readonly run: RunKind;
  readonly seed: number;
  /** Of a defect, which has to fail for the right reason; what is harmless must not fail. */
  readonly grade?: number;
  readonly expected?: ExpectedResult;
}

function expect(run: RunKind, cause: CauseCode, causeApart = cause): ExpectedResult {
  return { run, cause, causeApart };
}

/** By the defect's id. */
export const expectations: Readonly<Record<string, ExpectedResult>> = {
  A1: expect('shoppers', 'key-not-checked'),
  A2: expect('shoppers', 'key-check-crashes'),
  A4: expect('shoppers', 'key-not-checked'),
  A5: expect('shoppers', 'accounts-not-separate'),
  A7: expect('launch', 'key-not-checked-under-load'),

  S1: expect('shoppers', 'import-limit-not-enforced'),
  S2: expect('shoppers', 'import-limit-too-low'),
  S3: expect('shoppers', 'import-truncated'),
  S4: expect('shoppers', 'sku-counted-twice'),
  S5: expect('shoppers', 'refused-import-stored'),
  S6: expect('shoppers', 'sku-stored-twice'),
  S8: expect('shoppers', 'shade-field-changed'),
  S10: expect('shoppers', 'shades-listed-late'),
  S11: expect('shoppers', 'shade-field-missing'),
  S12: expect('shoppers', 'refused-import-leaves-catalog'),

  N1: expect('shoppers', 'unknown-id-answered'),
  N2: expect('shoppers', 'unknown-sku-accepted'),
  N3: expect('shoppers', 'history-order-wrong'),
  N5: expect('shoppers', 'repeated-selections-merged'),
  N6: expect('shoppers', 'repeated-interaction-stored'),
  N9: expect('shoppers', 'session-disappears'),
  N10: expect('shoppers', 'concurrent-interactions-lost'),
  N11: expect('shoppers', 'expiry-not-utc'),
  N12: expect('shoppers', 'shade-count-wrong'),
  N13: expect('shoppers', 'expiry-in-the-past'),
  N14: expect('launch', 'expiry-fixed'),
  N15: expect('crossed', 'session-read-stale'),
  N16: expect('shoppers', 'depends-on-connection'),
  N17: expect('shoppers', 'errors-not-json'),

  R1: expect('limiter', 'limit-not-enforced'),
  R2: expect('limiter', 'limit-differs'),
  R3: expect('limiter', 'limit-differs'),
  'R3-': expect('limiter', 'limit-differs'),
  R5: expect('limiter', 'algorithm-differs'),
  R6: expect('limiter', 'window-extended-by-rejections'),
  R7: expect('limiter', 'counters-per-node'),
  R9: expect('edge', 'limit-by-address'),
  R10: expect('edge', 'limit-shared-by-keys'),
  R11: expect('edge', 'limit-per-endpoint'),
  R12: expect('edge', 'forwarded-address-trusted'),
  R13: expect('edge', 'endpoint-not-limited'),
  R15: expect('edge', 'retry-after-wrong'),
  'R15-epoch': expect('edge', 'retry-after-wrong'),
  R17: expect('edge', 'limit-headers-frozen'),
  R18: expect('edge', 'rejection-status-wrong'),
  R20: expect('launch', 'count-starts-anew'),
  R21: expect('limiter', 'key-stays-refused'),
  R23: expect('limiter', 'requests-queued'),
  R24: expect('limiter', 'second-limit'),

  Q1: expect('quota', 'quota-status-wrong'),
  Q2: expect('quota', 'quota-differs'),
  'Q2-': expect('quota', 'quota-differs'),
  Q3: expect('quota', 'check-then-increment'),
  Q5: expect('quota', 'quota-counts-other-requests'),
  Q7: expect('quota', 'quota-blocks-reads'),
  Q8: expect('quota', 'refusal-order-varies'),
  // The quota of the twin key may have been spent before, so that it need not be the one that was found too small.
  Q9: expect('quota', 'quota-shared-by-accounts', 'quota-counts-other-accounts'),
  Q10: expect('quota', 'quota-given-back'),

  Y1: expect('shoppers', 'end-date-exclusive'),
  Y2: expect('audit', 'day-boundary-shifted'),
  Y4: expect('shoppers', 'product-filter-ignored'),
  Y6: expect('shoppers', 'product-filter-ignored'),
  Y7: expect('shoppers', 'answers-vary'),
  Y9: expect('shoppers', 'rate-as-percentage'),
  Y10: expect('shoppers', 'integer-division'),
  'Y10-early': expect('shoppers', 'rounded-too-far'),
  Y12: expect('shoppers', 'order-varies'),
  Y14: expect('audit', 'stale-analytics'),
  Y16: expect('shoppers', 'total-approximate'),
  Y17: expect('shoppers', 'period-wrong'),
  Y18: expect('shoppers', 'repeats-counted'),
  Y19: expect('shoppers', 'inactive-sessions-left-out'),

  P1: expect('busy', 'periodically-slow'),
  P2: expect('shoppers', 'slow-by-size'),
  P4: expect('busy', 'does-not-keep-up'),
  P5: expect('busy', 'target-stood-still'),
  P6: expect('crossed', 'endpoints-wait'),
  P7: expect('crossed', 'new-connections-slow'),
  P8: expect('busy', 'target-stands-still'),
  P9: expect('busy', 'some-connections-slow'),
  P10: expect('shoppers', 'first-list-slow'),
};

/** Variants of the form of imports and lists, which runs of shoppers judge whole. */
const catalogForms: readonly string[] = ['shades-bare', 'shades-wrapped', 'import-201', 'import-202'];
/**
 * Runs in which another variant could be mistaken for a defect, in addition to `launch`, which judges every group. Of the
 * service as it is, all: `edge` is the first part of `limiter`.
 */
const morePlaces: Readonly<Record<string, readonly RunKind[]>> = {
  [honest]: ['shoppers', 'audit', 'limiter', 'quota', 'busy', 'crossed'],
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

/** The runs in which a variant must raise no alarm. */
export function harmlessRuns(variant: string): readonly RunKind[] {
  return catalogForms.includes(variant) ? ['shoppers'] : ['launch', ...(morePlaces[variant] ?? [])];
}
