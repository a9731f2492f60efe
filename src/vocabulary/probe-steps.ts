import type { Family } from './probes.ts';

/** Families of probes that are sent together: what one of them makes, another needs. */
const probeSteps = {
  authentication: ['no-key', 'bad-key'],
  spellings: ['spelled'],
  nearKeys: ['near-key'],
  notFound: ['unknown-session', 'unknown-catalog', 'near-session'],
  batches: ['import', 'batch-max', 'batch-over', 'large'],
  updates: ['update', 'together', 'kept'],
  imports: ['again', 'twice', 'empty', 'malformed', 'names', 'corners', 'kept'],
  events: ['acts', 'invalid'],
  malformed: ['invalid'],
  crossed: ['crossed', 'connection'],
} as const satisfies Readonly<Record<string, readonly Family[]>>;
export type ProbeStep = keyof typeof probeSteps;

/** Whether a step is sent where only these families are wanted; undefined: all are. */
export function sendsStep(step: ProbeStep, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || probeSteps[step].some((family) => wanted.includes(family));
}

/** Those that are sent in any case, and those that are sent together with these families. */
export function sentWith(families: readonly string[]): readonly string[] {
  const steps = Object.values(probeSteps).filter((step) => step.some((family) => families.includes(family)));
  return ['canary', 'channel', 'tenancy', 'next-page', ...steps.flat()];
}

/** `near-key` of `near-key:case:analytics`. */
export function familyOf(probe: string): string {
  return probe.split(':', 1)[0] ?? probe;
}
