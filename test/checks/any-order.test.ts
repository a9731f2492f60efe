import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CheckFinding } from '../../src/checks/core/verdict.ts';
import { checks, judge } from '../../src/checks/judge.ts';
import { type History, openHistory } from '../../src/history/history.ts';
import { type CheckGroup, checkGroups } from '../../src/vocabulary/check-ids.ts';
import { isLong, rowsOf } from '../effort.ts';
import { unpack } from '../frozen/folder.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';

/** Opens a recorded run, twice, for `look`. */
async function withRecording(
  recording: string,
  look: (history: History, beside: History) => Promise<void>,
): Promise<void> {
  const runDir = await temporaryFolder();
  unpack(join(import.meta.dirname, '../frozen', recording), runDir);
  const [history, beside] = [await openHistory(runDir), await openHistory(runDir)];
  try {
    await look(history, beside);
  } finally {
    history.close();
    beside.close();
  }
}

/** What each group of checks finds, where they run in the order given. */
async function found(
  history: History,
  groups: readonly CheckGroup[] = checkGroups,
): Promise<ReadonlyMap<CheckGroup, readonly CheckFinding[]>> {
  const findings = new Map<CheckGroup, readonly CheckFinding[]>();
  for (const group of groups) findings.set(group, await checks[group](history));
  return findings;
}

const rotated = [...checkGroups.slice(4), ...checkGroups.slice(0, 4)];

describe.each(rowsOf(['honest', 'q3'], (run) => run === 'q3'))(
  'the checks of the run %s find the same',
  (run) => {
    it('when they are judged again, and backwards, and leave no table of a computation', () =>
      withRecording(run, async (history, beside) => {
        const usual = await found(history);
        const others = [
          ['again', await found(history)],
          ['backwards', await found(beside, checkGroups.toReversed())],
          ...(isLong ? [['from the middle on', await found(beside, rotated)] as const] : []),
        ] as const;
        for (const [order, findings] of others)
          for (const group of checkGroups)
            expect(findings.get(group), `${group}, ${order}`).toEqual(usual.get(group));
        const names = await history.rows(
          z.object({ name: z.string() }),
          'SELECT table_name AS name FROM duckdb_tables() WHERE temporary',
        );
        expect(names).toEqual([]);
      }));

    it('when two groups are judged at the same time', () =>
      withRecording(run, async (history, beside) => {
        const together = await judge({ ...history, beside });
        expect(together).toEqual(await judge(history));
        expect(together.checks.length).toBeGreaterThan(checkGroups.length);
      }));
  },
);
