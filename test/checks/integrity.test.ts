import { expect, it } from 'vitest';
import { render } from '../../src/checks/core/render.ts';
import type { Verdict } from '../../src/checks/core/verdict.ts';
import { checkHistory } from '../../src/checks/integrity.ts';
import type { History } from '../../src/history/history.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRun } from '../history/sample.ts';
import { causeCodes } from './cause-codes.ts';

const { ended: _, ...unended } = sampleRun;

function history(integrity: History['integrity'], run: RunInfo = sampleRun, leftOut = 0): History {
  return {
    run,
    integrity,
    leftOut,
    profile: profileSchema.parse({}),
    rows: () => Promise.resolve([]),
    columns: () => Promise.resolve([]),
    execute: () => Promise.resolve(0),
    close: () => undefined,
  };
}

function ended(how: NonNullable<RunInfo['ended']>['how'], detail?: string): RunInfo {
  return { ...sampleRun, ended: { at_epoch_ms: 1, how, ...(detail === undefined ? {} : { detail }) } };
}

it.each<[string, History, Verdict, Verdict, RegExp]>([
  ['intact and completed passes', history({ kind: 'intact' }), 'pass', 'pass', /The run is complete/],
  [
    'altered fails and says where',
    history({ kind: 'altered', differences: ['requests.csv: missing'] }),
    'fail',
    'pass',
    /changed after the run: requests\.csv: missing/,
  ],
  [
    'recovered is inconclusive and says what was cut',
    history({ kind: 'recovered', cut: { 'requests.csv': 10 } }),
    'inconclusive',
    'pass',
    /Incomplete records were cut: 10 bytes of requests\.csv/,
  ],
  [
    'recovered without a request before others is inconclusive and says how many',
    history({ kind: 'recovered', cut: {} }, sampleRun, 2),
    'inconclusive',
    'pass',
    /a request before them is unknown: 2 requests/,
  ],
  [
    'cut off before its end is inconclusive',
    history({ kind: 'intact' }, unended),
    'pass',
    'inconclusive',
    /no record of the end/,
  ],
  [
    'interrupted is inconclusive',
    history({ kind: 'intact' }, ended('interrupted')),
    'pass',
    'inconclusive',
    /was interrupted\.$/,
  ],
  [
    'given up by the kill switch is inconclusive',
    history({ kind: 'intact' }, ended('kill-switch', '20 of the last 20 requests failed')),
    'pass',
    'inconclusive',
    /was failing: 20 of the last 20/,
  ],
  [
    'ended by a cap is inconclusive',
    history({ kind: 'intact' }, ended('cap', '--max-requests 10')),
    'pass',
    'inconclusive',
    /cap: --max-requests 10/,
  ],
  [
    'ended by an error is inconclusive',
    history({ kind: 'intact' }, ended('error', 'disk full')),
    'pass',
    'inconclusive',
    /error: disk full/,
  ],
])('a history that is %s', async (_, sample, integrity, complete, explanation) => {
  const results = (await checkHistory(sample)).map(render);
  expect(results.map((result) => [result.id, result.verdict])).toEqual([
    ['history.integrity', integrity],
    ['history.complete', complete],
  ]);
  expect(causeCodes(results)).toEqual(integrity === 'fail' ? ['history-altered'] : []);
  expect(results.map((result) => result.explanation).join(' ')).toMatch(explanation);
});
