import { z } from 'zod';
import { listed } from '../amounts.ts';
import { fieldErrors } from '../exit.ts';
import type { CheckGroup } from '../vocabulary/check-ids.ts';
import { checkGroups } from '../vocabulary/check-ids.ts';
import { meantText } from '../vocabulary/closest.ts';
import { fields } from '../vocabulary/fields.ts';
import { dayMs, percentileExpected } from '../vocabulary/quantities.ts';
import { durationSchema, rateLimitSchema } from '../vocabulary/quantity-schemas.ts';
import { boundedBy } from '../vocabulary/requests.ts';
import { studyKinds } from '../vocabulary/studies.ts';
import { productKinds } from './catalog/catalog.ts';
import { isIdle, type OpenPhase, type Phase, phaseNames } from './load.ts';
import type { Part } from './parts.ts';
import { shopperSettingsSchema } from './shoppers/settings.ts';
import { type Study, scaledStudy } from './study.ts';

const phaseKinds = ['open', 'quota', 'together'];

/** Phases come from the functions of `load.ts`, which have checked their own arguments. */
const phase = z.custom<Phase>(
  (value) =>
    typeof value === 'object' && value !== null && 'kind' in value && phaseKinds.includes(String(value.kind)),
  {
    message:
      'expected a phase: steady(…), ramp(…), steps(…), spike(…), idle(…), shoppers(…), dayCurve(…), exhaustQuota(…) or together(…)',
  },
);

/** The same for the functions of `study.ts`. */
const study = z.custom<Study>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    studyKinds.some((kind) => kind === value.kind),
  { message: 'expected a study: studyLimits(…), studyQuota(…), auditAnalytics(…) or studyCapacity(…)' },
);

const slo = fields({
  endpoint: z
    .enum(boundedBy)
    .describe('An endpoint; `reads` for lists of shades and reads of sessions; `*` for all.'),
  percentile: z
    .number()
    .max(100)
    .refine((percentile) => percentile >= 1, {
      error: ({ input }) => `expected ${percentileExpected(Number(input))}`,
    })
    .describe('From 1 to 100, such as 99; 100 is the slowest.'),
  under: durationSchema.describe('Bound on the response time of 2xx answers.'),
  phase: z.string().optional().describe('Name of a phase; all of the load when left out.'),
});

const nameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and dashes');

/** See `Part`. */
const part = fields({
  name: nameSchema.describe('Of the part.'),
  question: z.string().min(1).describe('What is not known when the part is left out.'),
  checks: z.array(z.enum(checkGroups)).min(1).describe('The groups of checks that it serves.'),
  load: z.array(phase).default([]).describe('Its phases.'),
  study: z.array(study).default([]).describe('Its studies.'),
  least: durationSchema.optional().describe('The shortest budget that its studies are worth beginning with.'),
}).refine(({ load, study }) => load.length + study.length > 0, {
  path: ['load'],
  message: 'expected at least one phase, or a study',
});

export const scenarioSchema = fields({
  name: nameSchema.describe('Of the scenario: its runs have it in their folders.'),
  title: z.string().min(1).describe('One line for `tryon scenarios`.'),
  catalog: fields({
    products: z
      .int()
      .min(1)
      .max(200)
      .default(12)
      .describe('Product lines in the catalog of the `load` key; about 17 shades each.'),
    kinds: z.array(z.enum(productKinds)).min(1).optional().describe('Kinds of products; all by default.'),
  }).prefault({}),
  shoppers: shopperSettingsSchema.prefault({}),
  load: z.array(phase).default([]).describe('What is planned: phases of load, one after another.'),
  study: z.array(study).default([]).describe('What reacts to answers, after the load.'),
  parts: z
    .array(part)
    .default([])
    .describe(
      'In place of both: parts that can be left out, those of most weight first, when `--budget` is short.',
    ),
  settle: fields({
    readBack: z
      .int()
      .min(0)
      .default(100)
      .describe('Sessions read back at random, besides all those with an ambiguous event.'),
  }).prefault({}),
  probes: z
    .boolean()
    .default(true)
    .describe('Ask, before the load, for each thing that the interface promises.'),
  explore: z
    .int()
    .min(0)
    .max(100_000)
    .default(450)
    .describe(
      'Calls that look for faults in keys, shades, sessions and events, drawn by the seed; after the load.',
    ),
  exploreBeside: z
    .int()
    .min(0)
    .max(100_000)
    .default(0)
    .describe(
      'Such calls about shades during the load, with the bystander key, at a twentieth of its limit at most.',
    ),
  crossed: z
    .boolean()
    .default(false)
    .describe(
      'After the load, each endpoint alone and while another one works, and new connections; where contract and latency are judged.',
    ),
  slo: z.array(slo).default([]).describe('Bounds on response times. Each has a separate verdict.'),
  checks: z.array(z.enum(checkGroups)).min(1).describe('Groups of checks that judge the run.'),
  embedded: fields({
    rateLimit: rateLimitSchema.optional().describe('Such as `100/6s`.'),
    sessionLifetime: durationSchema.optional().describe('How long a session accepts events.'),
  })
    .prefault({})
    .describe(
      'How the embedded service is started for it, where the command line and the profile do not say.',
    ),
})
  .refine(({ load, study, parts }) => load.length + study.length + parts.length > 0, {
    path: ['load'],
    message: 'expected at least one phase, or a study',
  })
  .refine(({ load, study, parts }) => parts.length === 0 || load.length + study.length === 0, {
    path: ['parts'],
    message: 'expected parts, or load and study, and not both',
  })
  .refine(
    ({ checks, parts }) => parts.every((each) => each.checks.every((group) => checks.includes(group))),
    {
      path: ['parts'],
      message: 'expected groups in each part that are also in checks',
    },
  )
  .refine(
    ({ checks, parts, study }) =>
      !checks.includes('analytics') ||
      ![...study, ...parts.flatMap((each) => each.study)].some(
        (each) => each.kind === 'capacity' && each.traffic === 'sessions',
      ),
    {
      path: ['checks'],
      message:
        "expected no analytics together with studyCapacity: the sessions of its closed loop are not counted; traffic: 'reads' creates none",
    },
  )
  .refine(({ checks, slo }) => slo.length === 0 || checks.includes('latency'), {
    path: ['checks'],
    message: 'expected latency among the checks: without it, no bound of slo is judged',
  })
  .superRefine(({ load, parts, slo }, context) => {
    const names = [...load, ...parts.flatMap((each) => each.load)].flatMap(phaseNames);
    if (slo.length > 0 && names.length === 0)
      context.addIssue({
        code: 'custom',
        path: ['slo'],
        message: 'expected load: bounds are on its requests',
      });
    for (const [at, { phase: name }] of slo.entries()) {
      const message = name === undefined ? undefined : phaseProblem(name, names);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['slo', at, 'phase'], message });
    }
  })
  .transform((scenario) => (scenario.parts.length === 0 ? scenario : withParts(scenario, scenario.parts)));

/** Why a bound cannot be on the phase of this name. */
function phaseProblem(name: string, names: readonly string[]): string | undefined {
  const [first, ...more] = names.filter((each) => each === name);
  if (first === undefined) {
    const phases = listed(
      [...new Set(names)].map((each) => JSON.stringify(each)),
      12,
    );
    return `there is no phase ${JSON.stringify(name)}${meantText(name, names) || '.'} There are ${phases}`;
  }
  return more.length === 0
    ? undefined
    : `${more.length + 1} phases have the name ${JSON.stringify(name)}: expected a different name for each (name: '…')`;
}

/** The scenario made of these parts. */
export function withParts<S extends object>(
  scenario: S,
  parts: readonly Part[],
): S & { load: Phase[]; study: Study[] } {
  return {
    ...scenario,
    load: parts.flatMap(({ load }) => load),
    study: parts.flatMap(({ study }) => study),
  };
}

/** A scenario as its script writes it. */
export type ScenarioInput = z.input<typeof scenarioSchema>;
/** A scenario, validated and with its defaults. */
export type Scenario = z.output<typeof scenarioSchema>;

const defined = new WeakSet<object>();

/**
 * Declares a scenario; a script's default export. @throws Error that names each wrong field and what was expected.
 */
export function defineScenario(input: ScenarioInput): Scenario {
  const parsed = scenarioSchema.safeParse(input);
  if (!parsed.success) throw new Error(`defineScenario: ${fieldErrors(parsed.error)}`);
  defined.add(parsed.data);
  return parsed.data;
}

/** Whether a value came from `defineScenario`. */
export function isScenario(value: unknown): value is Scenario {
  return typeof value === 'object' && value !== null && defined.has(value);
}

/** What is kept of a scenario. */
export interface Kept {
  readonly probes: boolean;
  readonly phases: readonly string[];
  readonly studies: readonly Study['kind'][];
  readonly checks: readonly CheckGroup[];
}

/** The part of a scenario with these phases and studies. What runs at the same time as a kept phase is kept, too. */
export function cutTo(scenario: Scenario, { checks, phases, probes, studies }: Kept): Scenario {
  return {
    ...scenario,
    load: scenario.load.filter((phase) => phaseNames(phase).some((name) => phases.includes(name))),
    study: scenario.study.filter(({ kind }) => studies.includes(kind)),
    parts: [],
    probes: scenario.probes && probes,
    slo: [],
    checks: [...checks],
  };
}

/**
 * The scenario in this share of its time, from 0 to 1: so fewer shoppers come, and fewer calls are drawn. Rates, windows, quotas
 * and races stay as they are, and so do phases in which nothing arrives: they wait for shoppers, or for a window.
 */
export function scaledTo(scenario: Scenario, scale: number): Scenario {
  const fewer = (count: number): number => Math.ceil(count * scale);
  const shorter = <S extends Pick<Part, 'load' | 'study'>>(of: S) => ({
    ...of,
    load: of.load.map((phase) => scaledPhase(phase, scale)),
    study: of.study.map((each) => scaledStudy(each, scale)),
  });
  const parts = scenario.parts.map(shorter);
  return {
    ...(parts.length === 0 ? shorter(scenario) : withParts({ ...scenario, parts }, parts)),
    settle: { ...scenario.settle, readBack: fewer(scenario.settle.readBack) },
    explore: fewer(scenario.explore),
    exploreBeside: fewer(scenario.exploreBeside),
  };
}

function scaledPhase(phase: Phase, scale: number): Phase {
  switch (phase.kind) {
    case 'together':
      return { ...phase, tracks: phase.tracks.map((track) => track.map((each) => scaledPhase(each, scale))) };
    case 'quota':
      return phase;
    case 'open':
      return isIdle(phase) ? phase : { ...phase, ...scaledSegments(phase, scale) };
  }
}

/** Of days that are played, whole ones; of the time around a midnight, its middle. */
function scaledSegments(
  { calendar, segments }: OpenPhase,
  scale: number,
): Pick<OpenPhase, 'segments'> & Partial<Pick<OpenPhase, 'calendar'>> {
  const shorter = (share: number): OpenPhase['segments'] =>
    segments.map((each) => ({ ...each, durationMs: each.durationMs * share }));
  if (calendar === undefined) return { segments: shorter(scale) };
  const days = Math.ceil(calendar.days * scale);
  if (calendar.dayTakesMs < dayMs)
    return { segments: shorter(days / calendar.days), calendar: { ...calendar, days } };
  const cutMs = segments.reduce((sum, { durationMs }) => sum + durationMs * (1 - scale), 0);
  return {
    segments: shorter(scale),
    calendar: { ...calendar, fromEpochMs: calendar.fromEpochMs + cutMs / 2 },
  };
}
