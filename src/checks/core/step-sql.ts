/** The most values that are listed one by one. */
const mostListed = 65_536;

/** Slots that the time of other steps is cut into, so that a step is found by reckoning and not by search. */
const slots = 4_096;

/**
 * SQL for a step function of `x`, a whole number: `before` up to the first step, from each step's `at` on its whole `value`. Steps in
 * order. Where all steps lie on a grid, it is a list that says the value. Else the slot in which `x` lies says which step was in force when it began, and how many of the next few were due is counted.
 */
export function stepSql(
  before: number,
  steps: readonly { readonly at: number; readonly value: number }[],
  x: string,
): string {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return String(before);
  const grid = steps.reduce((divisor, { at }) => greatestCommonDivisor(divisor, at - first.at), 0);
  if (Number.isInteger(first.at) && grid >= (last.at - first.at) / mostListed) {
    const width = Math.max(1, grid);
    let step = 0;
    const values = Array.from({ length: (last.at - first.at) / width + 1 }, (_, slot) => {
      while ((steps[step + 1]?.at ?? Number.POSITIVE_INFINITY) <= first.at + slot * width) step++;
      return steps[step]?.value ?? before;
    });
    const place = `least(greatest(${x} - ${first.at - width}, 0) // ${width}, ${values.length})`;
    return `${listSql([before, ...values])}[${place} + 1]`;
  }
  const from = Math.floor(first.at);
  const width = Math.max(1, Math.ceil((last.at - from + 1) / slots));
  const inForce = Array.from(
    { length: slots + 1 },
    (_, slot) => steps.findLastIndex(({ at }) => at <= from + slot * width) + 1,
  );
  const within = inForce.slice(1).map((index, slot) => index - (inForce[slot] ?? 0));
  const ats = listSql(steps.map(({ at }) => Math.ceil(at)));
  const slot = `least(greatest(${x} - ${from}, 0) // ${width}, ${slots}) + 1`;
  const begun = `${listSql(inForce)}[${slot}]`;
  const due = Array.from(
    { length: Math.max(...within) },
    (_, more) => ` + CAST(coalesce(${ats}[${begun} + ${more + 1}] <= ${x}, false) AS INTEGER)`,
  );
  const inOrder = `${listSql([before, ...steps.map(({ value }) => value)])}[${begun} + 1${due.join('')}]`;
  return `if(${x} < ${from}, ${before}, ${inOrder})`;
}

/** A list as text is cast at once, where each number of a list of numbers would be an expression to plan. */
export function listSql(numbers: readonly number[]): string {
  return `('[${numbers}]'::BIGINT[])`;
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
