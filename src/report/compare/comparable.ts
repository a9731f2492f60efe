import { isDeepStrictEqual } from 'node:util';
import type { RunFacts } from './facts.ts';

/** Why runs cannot be compared: a field with the value of two runs, or of one run that says nothing about its target. */
export interface Obstacle {
  readonly field: string;
  readonly values: readonly { readonly run: string; readonly value: string }[];
}

/** A run as it was described before its first request. */
type DescribedRun = Pick<RunFacts, 'name' | 'run'>;

/** Fields of a profile that change neither the load nor a verdict. */
const irrelevant: ReadonlySet<string> = new Set([
  '$schema',
  'name',
  'base_url',
  'keys',
  'allow_hosts',
  'tls',
]);

/** Fields in which comparable runs agree. */
const fields: Readonly<Record<string, (facts: DescribedRun) => unknown>> = {
  scenario: ({ run }) => run.scenario.name,
  'planned phases': ({ run }) =>
    run.phases.map(({ end_ns, name, pace, role, start_ns, unit }) => ({
      name,
      role,
      pace: `${pace} (${unit})`,
      seconds: (end_ns - start_ns) / 1e9,
    })),
  studies: ({ run }) => (run.studies ?? []).map(({ capacity, kind }) => ({ kind, ...capacity })),
  checks: ({ run }) => run.checks,
  'bounds on latency': ({ run }) => run.slo,
  'catalog size (give both runs one --seed)': ({ run }) =>
    run.catalogs.map(({ role, shades }) => ({ role, shades })),
  'kind of target': ({ run }) => run.target.kind,
  'planted defects and variants': ({ run }) => run.planted ?? { defects: [], variants: [] },
  workers: ({ run }) => run.workers ?? 1,
  shards: ({ run }) => run.shards?.length ?? 1,
  'Node.js major version': ({ run }) => run.versions.node?.split('.')[0],
  machine: ({ run }) => run.machine,
};

/** What keeps the runs from being compared. `base` is one of them. */
export function obstaclesTo(base: RunFacts, runs: readonly RunFacts[]): Obstacle[] {
  const found = [...new Set([base, ...runs])].flatMap((each) => [...unfit(each), ...differences(base, each)]);
  // Repetitions differ in the same field: the first pair is enough.
  return found.filter(({ field }, place) => found.findIndex((each) => each.field === field) === place);
}

/** What of one run rules it out by itself. */
function unfit({ isGeneratorBound, name, run }: RunFacts): Obstacle[] {
  const of = (field: string, value: string): Obstacle => ({ field, values: [{ run: name, value }] });
  return [
    ...(run.ended?.how === 'completed' ? [] : [of('end of the run', run.ended?.how ?? 'not recorded')]),
    ...(isGeneratorBound ? [of('generator-bound (its machine was too busy)', 'yes')] : []),
  ];
}

/** The fields in which comparable runs agree, and these do not. */
export function differences(base: DescribedRun, other: DescribedRun): Obstacle[] {
  const profileFields = Object.keys({ ...base.run.profile, ...other.run.profile });
  const pairs = [
    ...Object.entries(fields).map(([field, of]) => [field, of(base), of(other)] as const),
    ...profileFields
      .filter((name) => !irrelevant.has(name))
      .map((name) => [`profile.${name}`, base.run.profile[name], other.run.profile[name]] as const),
  ];
  return pairs
    .filter(([, a, b]) => !isDeepStrictEqual(plain(a), plain(b)))
    .map(([field, a, b]) => ({
      field,
      values: [
        { run: base.name, value: shown(a) },
        { run: other.name, value: shown(b) },
      ],
    }));
}

/** As JSON has it: a field that is undefined is none. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'absent');
}
