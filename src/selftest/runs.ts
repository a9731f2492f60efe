import { fileURLToPath } from 'node:url';
import { programFile } from '../program-files.ts';
import type { ProfileInput } from '../target/profile.ts';
import { parseRateLimit, type RateLimit } from '../vocabulary/quantities.ts';

/**
 * The runs of a selftest, each named after its scenario. `edge` is the study of the limiter again, cut short after
 * the tests at the limit.
 */
const runKinds = ['shoppers', 'audit', 'limiter', 'edge', 'quota', 'launch', 'busy', 'crossed'] as const;
export type RunKind = (typeof runKinds)[number];

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
    fileURLToPath(programFile(`selftest/scenarios/${scenario}`)),
    ...(rateLimit === undefined ? [] : ['--rate-limit', rateLimit]),
    ...(quota === undefined ? [] : ['--quota', String(quota)]),
    ...(kind === 'edge' ? ['--budget', '30s'] : []),
    ...['--seed', String(seed), '--out', out, '--profile', profile],
  ];
}
