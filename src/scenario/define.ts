import { z } from 'zod';
import { listed } from '../amounts.ts';
import { productKinds } from '../catalog/catalog.ts';
import { fieldErrors } from '../exit.ts';
import { shopperSettingsSchema } from '../shoppers/settings.ts';
import { checkGroups } from '../vocabulary/check-ids.ts';
import { meantText } from '../vocabulary/closest.ts';
import { fields } from '../vocabulary/fields.ts';
import { percentileExpected } from '../vocabulary/quantities.ts';
import { durationSchema, rateLimitSchema } from '../vocabulary/quantity-schemas.ts';
import { endpoints } from '../vocabulary/requests.ts';
import { studyKinds } from '../vocabulary/studies.ts';
import { type Phase, phaseNames } from './load.ts';
import type { Part } from './parts.ts';
import type { Study } from './study.ts';

const phaseKinds = ['open', 'quota', 'closed', 'together'];

/** Phases come from the functions of `load.ts`, which have checked their own arguments. */
const phase = z.custom<Phase>(
  (value) =>
    typeof value === 'object' && value !== null && 'kind' in value && phaseKinds.includes(String(value.kind)),
  {
    message:
      'expected a phase: steady(…), ramp(…), steps(…), spike(…), idle(…), shoppers(…), dayCurve(…), exhaustQuota(…), saturate(…) or together(…)',
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
  /** An endpoint, or `*` for all. */
  endpoint: z.enum([...endpoints, '*']),
  percentile: z
    .number()
    .max(100)
    .refine((percentile) => percentile >= 1, {
      error: ({ input }) => `expected ${percentileExpected(Number(input))}`,
    }),
  /** Bound on the response time of 2xx answers. */
  under: durationSchema,
  /** Name of a phase; all of the load when left out. */
  phase: z.string().optional(),
});

/** See `Part`. */
const part = fields({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and dashes'),
  /** What is not known when the part is left out. */
  question: z.string().min(1),
  /** The groups of checks that it serves. */
  checks: z.array(z.enum(checkGroups)).min(1),
  load: z.array(phase).default([]),
  study: z.array(study).default([]),
  /** The shortest budget that its studies are worth beginning with. */
  least: durationSchema.optional(),
}).refine(({ load, study }) => load.length + study.length > 0, {
  path: ['load'],
  message: 'expected at least one phase, or a study',
});

const scenarioSchema = fields({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and dashes'),
  /** One line for `tryon scenarios`. */
  title: z.string().min(1),
  catalog: fields({
    /** Product lines in the catalog of the `load` key; about 17 shades each. */
    products: z.int().min(1).max(200).default(12),
    kinds: z.array(z.enum(productKinds)).min(1).optional(),
  }).prefault({}),
  shoppers: shopperSettingsSchema.prefault({}),
  /** What is planned: phases of load, one after another. */
  load: z.array(phase).default([]),
  /** What reacts to answers, after the load. */
  study: z.array(study).default([]),
  /** In place of both: parts that can be left out, those of most weight first, when `--budget` is short. */
  parts: z.array(part).default([]),
  settle: fields({
    /** Sessions read back at random, besides all those with an ambiguous event. */
    readBack: z.int().min(0).default(100),
  }).prefault({}),
  /** Ask, before the load, for each thing that the interface promises. */
  probes: z.boolean().default(true),
  /** Calls that look for faults in keys, shades, sessions and events, drawn by the seed; after the load. */
  explore: z.int().min(0).max(100_000).default(450),
  /** Such calls about shades during the load, with the bystander key, at a twentieth of its limit at most. */
  exploreBeside: z.int().min(0).max(100_000).default(0),
  /** After the load, each endpoint alone and while another one works, and new connections; where contract and latency are judged. */
  crossed: z.boolean().default(false),
  slo: z.array(slo).default([]),
  checks: z.array(z.enum(checkGroups)).min(1),
  /** How the embedded service is started for it, where the command line and the profile do not say. */
  embedded: fields({
    rateLimit: rateLimitSchema.optional(),
    /** How long a session accepts events. */
    sessionLifetime: durationSchema.optional(),
  }).prefault({}),
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
    : `${more.length + 1} phases have the name ${JSON.stringify(name)}: expected a phase with a name of its own (name: '…')`;
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
