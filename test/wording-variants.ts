/**
 * Values like an example, with other numbers: none, one, many; ends of a range that are equal, or not; lists of no, one and
 * several items. One place differs at a time, and then all at once.
 */
export function variantsOf<P extends object>(example: P): P[] {
  const places = placesOf(example, []);
  const single = places.flatMap(([path, values]) => values.map((value) => changed(example, path, value)));
  const atOnce = [0, 1, 2, 3].map((nth) =>
    places.reduce((value, [path, values]) => changed(value, path, values[nth % values.length]), example),
  );
  return [example, ...single, ...atOnce];
}

type Path = readonly (string | number)[];

function placesOf(value: unknown, path: Path): [Path, unknown[]][] {
  if (typeof value === 'number') return [[path, [0, 1, 2, 12_864]]];
  if (typeof value === 'boolean') return [[path, [true, false]]];
  if (Array.isArray(value)) {
    const [first] = value;
    if (first === undefined) return [];
    return [[path, [[first], [...value, ...value, ...value, ...value].slice(0, 9)]]];
  }
  if (value === null || typeof value !== 'object') return [];
  if (isRange(value)) return [[path, ranges]];
  // A status is a name, not an amount.
  const amounts = Object.entries(value).filter(([name]) => !/status/i.test(name));
  return amounts.flatMap(([name, each]) => placesOf(each, [...path, name]));
}

const ranges = [
  { min: 0, max: 0 },
  { min: 1, max: 1 },
  { min: 0, max: 1 },
  { min: 36, max: 36 },
  { min: 36, max: 12_864 },
];

function isRange(value: object): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => name === 'min' || name === 'max');
}

function changed<P extends object>(root: P, path: Path, value: unknown): P {
  const copy = structuredClone(root);
  let at = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
  return copy;
}
