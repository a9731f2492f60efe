import type { Family } from './probes.ts';

/** Families of probes that are sent together: what one of them makes, another needs. */
const probeSteps = {
  large: ['batch-max', 'large'],
  events: ['acts'],
  corners: ['corners'],
  crossed: ['crossed', 'connection'],
  explored: ['explored'],
} as const satisfies Readonly<Record<string, readonly Family[]>>;
export type ProbeStep = keyof typeof probeSteps;

/** Whether a step is sent where only these families are wanted; undefined: all are. */
export function sendsStep(step: ProbeStep, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || probeSteps[step].some((family) => wanted.includes(family));
}

/** Those that are sent in any case, and those that are sent together with these families. */
export function sentWith(families: readonly string[]): readonly string[] {
  const steps = Object.values(probeSteps).filter((step) => step.some((family) => families.includes(family)));
  return ['import', 'canary', 'channel', 'next-page', ...steps.flat()];
}

/** `acts` of `acts:at-once`. */
export function familyOf(probe: string): string {
  return probe.split(':', 1)[0] ?? probe;
}
