import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CheckFinding } from '../../src/checks/core/verdict.ts';
import { checks, judge } from '../../src/checks/judge.ts';
import { openHistory } from '../../src/history/history.ts';
import { type CheckGroup, checkGroups } from '../../src/vocabulary/check-ids.ts';
import { rowsOf } from '../effort.ts';
import { unpack } from '../frozen/folder.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';

/** What each group of checks finds in a recorded run, where they run in the order given. */
async function found(
  recording: string,
  groups: readonly CheckGroup[],
): Promise<ReadonlyMap<CheckGroup, readonly CheckFinding[]>> {
  const runDir = await temporaryFolder();
  unpack(join(import.meta.dirname, '../frozen', recording), runDir);
  const history = await openHistory(runDir);
  try {
    const findings = new Map<CheckGroup, readonly CheckFinding[]>();
    for (const group of groups) findings.set(group, await checks[group](history));
    return findings;
  } finally {
    history.close();
  }
}

const rotated = [...checkGroups.slice(4), ...checkGroups.slice(0, 4)];

describe('the checks of a run find the same', () => {
  const orders = [
    ['honest', 'backwards', checkGroups.toReversed()],
    ['q3', 'backwards', checkGroups.toReversed()],
    ['q3', 'from the middle on', rotated],
    ['q3', 'twice, where one is run again', [...checkGroups, ...checkGroups]],
  ] as const;
  it.each(rowsOf(orders, ([recording, order]) => recording === 'q3' && order !== 'from the middle on'))(
    'in the run %s when they are judged %s',
    async (recording, _, order) => {
      const usual = await found(recording, checkGroups);
      const otherwise = await found(recording, order);
      for (const group of checkGroups) expect(otherwise.get(group), group).toEqual(usual.get(group));
    },
  );
});

describe('two groups judged at the same time', () => {
  it.each(rowsOf(['honest', 'q3'], (run) => run === 'q3'))(
    'find in the run %s what they find one after the other',
    async (recording) => {
      const runDir = await temporaryFolder();
      unpack(join(import.meta.dirname, '../frozen', recording), runDir);
      const history = await openHistory(runDir);
      const beside = await openHistory(runDir);
      try {
        const together = await judge({ ...history, beside });
        expect(together).toEqual(await judge(history));
        expect(together.checks.length).toBeGreaterThan(checkGroups.length);
      } finally {
        history.close();
        beside.close();
      }
    },
  );
});

describe('no table of a computation is left', () => {
  it('when all checks of a run have been judged', async () => {
    const runDir = await temporaryFolder();
    unpack(join(import.meta.dirname, '../frozen/q3'), runDir);
    const history = await openHistory(runDir);
    try {
      for (const group of checkGroups) await checks[group](history);
      const names = await history.rows(
        z.object({ name: z.string() }),
        'SELECT table_name AS name FROM duckdb_tables() WHERE temporary',
      );
      expect(names).toEqual([]);
    } finally {
      history.close();
    }
  });
});
