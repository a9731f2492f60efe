import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type Evidence, evidenceLimit } from './verdict.ts';

/** Requests that show something: how many there are, and the `seq`s of the first few. */
export interface Found {
  readonly total: number;
  readonly seqs: readonly number[];
}

export const nothing: Found = { total: 0, seqs: [] };

/** A column of a few `seq`s: a DuckDB list, or null where there was none. */
export const seqsColumn = z
  .array(z.coerce.number())
  .nullable()
  .transform((seqs) => seqs ?? []);

/** SQL: the first few `seq`s of a group, for `Evidence`. Only a handful reaches JavaScript, however long the run. */
export const firstSeqs = `min(seq, ${evidenceLimit})`;

const foundRow = z.object({ total: z.number(), seqs: seqsColumn });

/** The requests for which an SQL condition holds. */
export async function find(history: History, where: string): Promise<Found> {
  const [found] = await history.rows(
    foundRow,
    `SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests WHERE ${where}`,
  );
  return found ?? nothing;
}

/** Evidence of what was found; none when nothing was. */
export function evidenceOf(what: string, found: Found): readonly Evidence[] {
  return found.total === 0 ? [] : [{ what, seqs: found.seqs, total: found.total }];
}

/** SQL: a 2xx answer. */
export const admitted = 'status BETWEEN 200 AND 299';

/** Whether a request got what it asked for; no answer is no success. */
export function isSuccessStatus(status: number | null | undefined): boolean {
  return status != null && status >= 200 && status <= 299;
}

/** Whether the profile allows as many 5xx as came: then they say nothing of the calls that got them. */
export async function areErrorsByChance(history: History): Promise<boolean> {
  const { server_errors: bound } = history.profile;
  const [errors, answers] = [await find(history, 'status >= 500'), await find(history, 'status IS NOT NULL')];
  return bound > 0 && errors.total <= bound * answers.total;
}
