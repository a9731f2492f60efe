import type { Verdict } from '../../checks/core/verdict.ts';
import type { Side } from './facts.ts';

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
