import { isDeepStrictEqual } from 'node:util';
import type { RunInfo } from '../history/run.ts';

/** What of `run.json` has to be the same in each shard, in the order in which a difference is best told. */
const shared: Readonly<Record<string, (run: RunInfo) => unknown>> = {
  'the version of tryon': ({ versions }) => versions.tryon,
  scenario: ({ scenario }) => scenario.name,
  seed: ({ seed }) => seed,
  'number of shards': ({ shard }) => shard?.of,
  target: ({ target }) => target.base_url,
  profile: ({ profile }) => profile,
  keys: ({ keys }) =>
    Object.fromEntries(Object.entries(keys).map(([role, { fingerprint }]) => [role, fingerprint])),
  checks: ({ checks, slo }) => [checks, slo],
  phases: ({ phases }) => phases,
  'planned requests': ({ planned_by_lane, planned_requests }) => [planned_requests, planned_by_lane],
  description: ({ openapi }) => openapi?.sha256,
  catalogs: ({ catalogs, products }) => [catalogs, products],
  plan: ({ shard }) => shard?.plan,
  run: ({ id, zero_epoch_ms }) => [id, zero_epoch_ms],
};

/** In what two shards are not of one run: `seed: 7, not 8`; undefined if they are. */
export function differenceInRun(run: RunInfo, expected: RunInfo): string | undefined {
  for (const [name, of] of Object.entries(shared)) {
    const [here, there] = [of(run), of(expected)];
    if (isDeepStrictEqual(here, there)) continue;
    if (typeof here !== 'object') return `${name}: ${String(here)}, not ${String(there)}`;
    return `${name}: ${firstDifference(here, there)}`;
  }
  return undefined;
}

/** The first field in which two values differ, with both. */
function firstDifference(here: unknown, there: unknown, path = ''): string {
  if (isComposite(here) && isComposite(there)) {
    for (const key of new Set([...Object.keys(here), ...Object.keys(there)]))
      if (!isDeepStrictEqual(here[key], there[key]))
        return firstDifference(here[key], there[key], path === '' ? key : `${path}.${key}`);
  }
  const told = `${JSON.stringify(here) ?? 'nothing'}, not ${JSON.stringify(there) ?? 'nothing'}`;
  return path === '' ? told : `${path} is ${told}`;
}

function isComposite(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
