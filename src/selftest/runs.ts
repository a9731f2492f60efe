import { fileURLToPath } from 'node:url';
import { programFile } from '../program-files.ts';
import type { ProfileInput } from '../target/profile.ts';

/**
 * The runs of a selftest, each named after its scenario. `edge` is the study of the limiter again, cut short after
 * the tests at the limit.
 */
const runKinds = [
  'shoppers',
  'fields',
  'audit',
  'limiter',
  'crowd',
  'few',
  'midnight',
  'edge',
  'quota',
  'launch',
  'busy',
  'crossed',
] as const;
export type RunKind = (typeof runKinds)[number];

/** Runs that only mutants go through. The package, which has no sources to change, leaves them out. */
const ofMutants: readonly RunKind[] = ['crowd', 'few', 'midnight'];

/** A minute is scaled to 6 s: what takes minutes of a deployment takes seconds here. */
const scaled = ['--rate-limit', '100/6s', '--quota', '20'];
/** Runs without an entry are not about the limits and use the service's defaults. */
const settings: Readonly<Record<RunKind, readonly string[]>> = {
  shoppers: [],
  fields: [],
  audit: [],
  limiter: scaled,
  crowd: scaled,
  few: ['--rate-limit', '4/12s'],
  midnight: ['--rate-limit', '100000/1m'],
  edge: [...scaled, '--budget', '20s'],
  quota: scaled,
  launch: scaled,
  busy: [],
  crossed: [],
};

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
  return [
    'run',
    fileURLToPath(programFile(`selftest/${ofMutants.includes(kind) ? 'mutants/' : ''}scenarios/${scenario}`)),
    ...settings[kind],
    ...['--seed', String(seed), '--out', out, '--profile', profile],
  ];
}
