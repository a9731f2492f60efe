import { count, pace, seconds } from '../words.ts';
import type { LimitReading } from './dialects.ts';
import type { Finding } from './finding.ts';
import type { HeaderContext, Series, ToldAnswer } from './series.ts';

/** Windows are said in whole seconds. */
const windowRoundingNs = 1e9;

/**
 * Whether the limits that one dialect states are the promised one. Beside it there may be others, over other windows; one
 * that speaks of the promised window has to state the promised limit.
 */
export function judgeLimits(all: readonly Series[], context: HeaderContext): Finding {
  const bySeq = Map.groupBy(
    all.flatMap(({ answers }) => answers),
    ({ seq }) => seq,
  );
  const stating = [...bySeq.values()].filter((answers) =>
    answers.some(({ said }) => said.limit !== undefined),
  );
  const wrong = stating.flatMap((answers) => {
    const what = contradiction(answers, context);
    return what === undefined ? [] : [{ what, seq: answers[0]?.seq ?? 0 }];
  });
  const byWhat = Map.groupBy(wrong, ({ what }) => what);
  return {
    compared: stating.length,
    faults: [...byWhat].map(([what, same]) => ({ what, seqs: same.map(({ seq }) => seq) })),
    remarks: otherPolicies(stating.flat(), context),
  };
}

function contradiction(answers: readonly ToldAnswer[], context: HeaderContext): string | undefined {
  const stated = answers.map(({ said }) => said).filter(({ limit }) => limit !== undefined);
  const { requests } = context.promised;
  const wrong = stated.find((said) => hasPromisedWindow(said, context) === true && said.limit !== requests);
  if (wrong !== undefined) return `it states ${stateOf(wrong)}, not ${pace(context.promised)}`;
  const isThere = stated.some(
    (said) => said.limit === requests && hasPromisedWindow(said, context) !== false,
  );
  if (isThere) return undefined;
  return `it states ${stated.map(stateOf).join(' and ')}, not ${pace(context.promised)}`;
}

/** Undefined where no window is said. */
function hasPromisedWindow({ windowMs }: LimitReading, { promised }: HeaderContext): boolean | undefined {
  return windowMs === undefined ? undefined : Math.abs(windowMs * 1e6 - promised.windowNs) < windowRoundingNs;
}

function stateOf({ limit = 0, windowMs }: LimitReading): string {
  return windowMs === undefined
    ? `a limit of ${count(limit)}`
    : `${count(limit)} per ${seconds(windowMs * 1e6)}`;
}

function otherPolicies(answers: readonly ToldAnswer[], context: HeaderContext): string[] {
  const others = answers.filter(
    ({ said }) => said.limit !== undefined && hasPromisedWindow(said, context) === false,
  );
  const states = new Set(others.map(({ said }) => stateOf(said)));
  return [...states].slice(0, 3).map((state) => `it also speaks of ${state}`);
}
