import type { Verdict } from '../../checks/core/verdict.ts';
import { isObject } from '../../target/json.ts';
import type { Parameter, ParameterValue, RunFacts, Side } from './facts.ts';

/** What the runs of both sides found out about limiter and quota. */
export interface ParameterChange {
  readonly name: string;
  readonly before: readonly ParameterValue[];
  readonly after: readonly ParameterValue[];
  readonly isChanged: boolean;
}

interface ParsedCheckData {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where `verdicts.json` has a parameter: in the data of a check, or in the params of its reasons. */
const places: readonly {
  readonly name: string;
  readonly check: string;
  readonly of: (data: Readonly<Record<string, unknown>>) => readonly unknown[];
}[] = [
  { name: 'Kind of limiter', check: 'rate-limit.algorithm', of: ({ possible }) => [possible] },
  { name: 'Kind of limiter under load', check: 'rate-limit.enforced', of: ({ kinds }) => [kinds] },
  {
    name: 'Limit that explains the load',
    check: 'rate-limit.enforced',
    of: (data) => params(data, 'limits'),
  },
  { name: 'Limit', check: 'rate-limit.limit', of: (data) => params(data, 'bounds') },
  { name: 'Window, ms', check: 'rate-limit.window', of: (data) => params(data, 'bounds') },
  { name: 'Most admitted in a window', check: 'rate-limit.admitted', of: ({ most }) => list(most) },
  {
    name: 'Rate-limit headers',
    check: 'rate-limit.headers',
    of: ({ dialects }) =>
      list(dialects).flatMap((each) =>
        isObject(each) ? [[each.dialect, each.limits, each.windows_s, each.reset_as]] : [],
      ),
  },
  { name: 'Quota edge', check: 'quota.edge', of: (data) => params(data, 'admitted', 'quota') },
  { name: 'Order of 402 and 429', check: 'quota.precedence', of: (data) => params(data, 'statuses') },
];

/** The parameters in a `verdicts.json`. `limiter`: what its study of the limiter found. */
export function parametersOf(checks: readonly ParsedCheckData[], limiter: unknown): Parameter[] {
  const scope = isObject(limiter) && isObject(limiter.scope) ? [limiter.scope] : [];
  return [
    ...places.flatMap(({ check, name, of }) =>
      checks
        .filter(({ id }) => id === check)
        .flatMap(({ data }) => of(data))
        .map((value, place, { length }) => ({
          // Several streams, one for each key: in the order of the keys.
          name: length > 1 ? `${name} (${place + 1})` : name,
          value: parameterValue(value),
        })),
    ),
    ...scope.map((value) => ({ name: 'Scope of the limit', value: JSON.stringify(value) })),
  ];
}

/** In each reason, the first of the names that its params have. */
function params(data: Readonly<Record<string, unknown>>, ...names: readonly string[]): unknown[] {
  return list(data.reasons).flatMap((each) => {
    const found = isObject(each) && isObject(each.params) ? each.params : {};
    const name = names.find((one) => found[one] !== undefined);
    return name === undefined ? [] : [found[name]];
  });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parameterValue(value: unknown): ParameterValue {
  if (typeof value === 'number') return { min: value, max: value };
  if (isObject(value) && (typeof value.min === 'number' || typeof value.max === 'number'))
    return {
      ...(typeof value.min === 'number' && { min: value.min }),
      ...(typeof value.max === 'number' && { max: value.max }),
    };
  return Array.isArray(value) ? value.flat().map(String).join(', ') : String(value);
}

/** Changed where no run of one side agrees with any of the other; parameters that one side lacks are left out. */
export function parameterChanges(a: Side, b: Side): ParameterChange[] {
  const names = new Set(a.runs.flatMap(({ parameters }) => parameters.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const [before, after] = [valuesIn(a.runs, name), valuesIn(b.runs, name)];
    const isChanged = !before.some((x) => after.some((y) => agree(x, y)));
    return after.length === 0 ? [] : [{ name, before, after, isChanged }];
  });
}

function valuesIn(runs: readonly RunFacts[], name: string): ParameterValue[] {
  return runs.flatMap(({ parameters }) =>
    parameters.filter((each) => each.name === name).map(({ value }) => value),
  );
}

function agree(x: ParameterValue, y: ParameterValue): boolean {
  if (typeof x === 'string' || typeof y === 'string') return x === y;
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  return (
    (x.min ?? NEGATIVE_INFINITY) <= (y.max ?? POSITIVE_INFINITY) &&
    (y.min ?? NEGATIVE_INFINITY) <= (x.max ?? POSITIVE_INFINITY)
  );
}

/** How many runs gave a check which verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

export interface VerdictChange {
  readonly id: string;
  readonly title: string;
  readonly before: VerdictCounts;
  readonly after: VerdictCounts;
  readonly kind: 'regression' | 'improvement' | 'other';
}

const order = { regression: 0, improvement: 1, other: 2 } as const;

/** Checks whose merged verdict differs, regressions first. */
export function verdictChanges(a: Side, b: Side): VerdictChange[] {
  const titles = new Map(
    [...a.runs, ...b.runs].flatMap(({ verdicts }) => verdicts.map(({ id, title }) => [id, title] as const)),
  );
  const changes = [...titles].flatMap(([id, title]): VerdictChange[] => {
    const [before, after] = [countsOf(a, id), countsOf(b, id)];
    return merged(before) === merged(after)
      ? []
      : [{ id, title, before, after, kind: kindOf(id, before, after) }];
  });
  return changes.toSorted((x, y) => order[x.kind] - order[y.kind]);
}

function countsOf(side: Side, id: string): VerdictCounts {
  const verdicts = side.runs.flatMap((run) => run.verdicts.filter((each) => each.id === id));
  const count = (wanted: Verdict): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return { pass: count('pass'), fail: count('fail'), inconclusive: count('inconclusive') };
}

function merged({ fail, inconclusive, pass }: VerdictCounts): Verdict | 'absent' {
  if (pass + fail + inconclusive === 0) return 'absent';
  return fail > 0 ? 'fail' : inconclusive > 0 ? 'inconclusive' : 'pass';
}

function kindOf(id: string, before: VerdictCounts, after: VerdictCounts): VerdictChange['kind'] {
  // Noise decides a bound on latency or capacity now and then: with repetitions, they have to agree.
  const isNoisy = /^(?:latency|capacity)\./.test(id);
  const turns = (from: VerdictCounts, to: VerdictCounts): boolean =>
    from.pass > 0 &&
    from.fail === 0 &&
    to.fail > 0 &&
    !(isNoisy && (from.inconclusive > 0 || to.inconclusive + to.pass > 0));
  if (turns(before, after)) return 'regression';
  return turns(after, before) ? 'improvement' : 'other';
}
