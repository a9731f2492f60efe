import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exploredChecks } from '../../src/checks/contract/explored/relation.ts';
import type { Verdict } from '../../src/checks/core/verdict.ts';
import { rowsOf } from '../effort.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';
import { type Expected, expectedOf, judged, keptIn, readExpected, unpack } from './folder.ts';
import { recordings } from './recordings.ts';

/** `absent`: there is no check of this id. */
type Found = Verdict | 'absent';

/** A verdict that is another one than that of the version that made the recording, and why the new one is right. */
interface Correction {
  readonly recordings: readonly string[];
  /** The check; undefined: each that the calls of the explorer decide, and nothing else. */
  readonly check?: string;
  /** Undefined: whatever it was. */
  readonly was?: Found;
  readonly is: Found;
  readonly why: string;
}

const corrections: readonly Correction[] = [
  {
    recordings: ['r13'],
    check: 'rate-limit.enforced',
    was: 'pass',
    is: 'fail',
    why: 'Analytics pass beside the limit: within a window surely more were admitted than a sliding log of 100 admits. A burst bounded its limit from below by too little before.',
  },
  {
    recordings: ['r13'],
    check: 'rate-limit.retry-after',
    was: 'pass',
    is: 'absent',
    why: 'No request waited, and the study leaves many kinds of limiter. Waits were compared with the likeliest kinds alone, although others explain the promise as well.',
  },
  {
    recordings: [
      ...['honest', 'y1', 'y6', 'y12', 'y18', 'p5', 'interactions-count-load'],
      ...['described', 'interrupted', 'killed'],
    ],
    check: 'latency.outside-load',
    was: 'absent',
    is: 'pass',
    why: 'The check is new: it holds requests before and after the load against the bounds of the scenario.',
  },
  {
    recordings: ['honest', 'y1', 'y6', 'y12', 'y18', 'interactions-count-load', 'interrupted', 'killed'],
    check: 'contract.lists-agree',
    was: 'absent',
    is: 'pass',
    why: 'The check is new: it holds the lists of a catalog, as they were read beside the load, against each other.',
  },
  {
    recordings: ['interactions-count-load'],
    check: 'contract.answers',
    was: 'pass',
    is: 'fail',
    why: 'The service lists a shade whose colour is none, which a probe had imported. Lists of such probes were not judged.',
  },
  {
    recordings: [
      ...['honest', 'y1', 'y6', 'y12', 'y18', 'p5', 'interactions-count-load'],
      ...['described', 'interrupted', 'killed'],
    ],
    is: 'absent',
    why: 'Calls of the explorer decide them. The recording is of a version that had none.',
  },
];

const ofExplorer = new Set<string>(exploredChecks.map(({ id }) => id));
const isOf = ({ check }: Correction, id: string, is: Found): boolean =>
  check === undefined ? ofExplorer.has(id) && is === 'absent' : check === id;

const judgedBriefly = new Set([
  'honest',
  'y1',
  'y12',
  'p5',
  'q2',
  'r3',
  'described',
  'interrupted',
  'killed',
]);

const folderOf = (name: string): string => join(import.meta.dirname, name);

async function judgedAnew(name: string): Promise<Expected> {
  const runDir = await temporaryFolder();
  unpack(folderOf(name), runDir);
  return expectedOf(await judged(runDir));
}

/** Each verdict that is another one than it has to be, as a sentence. */
function differences(recording: string, before: Expected, now: Expected): string[] {
  const ids = [...new Set([...Object.keys(before.checks), ...Object.keys(now.checks)])];
  return ids.flatMap((id) => {
    const was = before.checks[id] ?? 'absent';
    const is = now.checks[id] ?? 'absent';
    const correction = corrections.find((each) => each.recordings.includes(recording) && isOf(each, id, is));
    const due = correction?.is ?? was;
    if (is === due && was === (correction?.was ?? was)) return [];
    const said = now.failing[id] ?? before.failing[id];
    const why = said === undefined ? '' : ` The check that failed said: ${said}`;
    const instead = correction === undefined ? '' : `, and the table of corrections says ${correction.is}`;
    return [`${id}: was ${was}, is ${is}${instead}.${why}`];
  });
}

describe('the verdicts on a run are those that the version of its recording gave', () => {
  // In `npm test`, those of most checks, and each way that a run ends.
  it.each(rowsOf(recordings, ({ name }) => judgedBriefly.has(name)))('$name: $sentence', async ({ name }) => {
    expect(differences(name, readExpected(folderOf(name)), await judgedAnew(name))).toEqual([]);
  });
});

describe('the recordings', () => {
  it('are those of the table, each with its folder', () => {
    expect(keptIn(import.meta.dirname)).toEqual(recordings.map(({ name }) => name).toSorted());
  });

  it.each(recordings)('$name came to what it is kept for', ({ name, verdict }) => {
    const expected = readExpected(folderOf(name));
    expect(expected.verdict).toBe(verdict);
    expect(Object.keys(expected.failing).length > 0).toBe(verdict === 'fail');
  });

  it('are corrected only in checks of theirs', () => {
    const unfounded = corrections.flatMap(({ check = '', recordings: of, was }) =>
      was === undefined
        ? []
        : of.filter((name) => (readExpected(folderOf(name)).checks[check] ?? 'absent') !== was),
    );
    expect(unfounded).toEqual([]);
  });
});
