import { z } from 'zod';
import type { Judgement } from '../checks/diagnosis/diagnosis.ts';
import type { History } from '../history/history.ts';
import { oncePerHistory } from '../history/tables.ts';
import type { CheckGroup, CheckId } from '../vocabulary/check-ids.ts';
import type { Role } from '../vocabulary/roles.ts';
import {
  type Band,
  badge,
  link,
  nothing,
  paragraph,
  prose,
  type ReportFigure,
  type Text,
  t,
} from './figure.ts';

/** What a section is made from. */
export interface SectionInput {
  readonly history: History;
  readonly judgement: Judgement;
  readonly buckets: Buckets;
  readonly phases: readonly DrivenPhase[];
}

/**
 * A part of the report with a heading. With nothing to show, it says so in a sentence; undefined leaves it out of runs
 * that do not concern it. It judges nothing.
 */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** The groups of checks that it shows: it stands open where one of them has the verdict of the run, and that is no pass. Without any, a reader opens it. */
  readonly about: readonly CheckGroup[];
  make(input: SectionInput): Promise<readonly (ReportFigure | undefined)[] | undefined>;
}

/** A sentence that replaces an optional section; a run that it does not concern leaves it out. */
export function nothingIf(isAboutIt: boolean, sentence: string): readonly ReportFigure[] | undefined {
  return isAboutIt ? [nothing(sentence)] : undefined;
}

/** The verdict of a check that a section has the data of, with its explanation; undefined if the check was not made. */
export function checkLine({ checks }: Judgement, id: CheckId): ReportFigure | undefined {
  const check = checks.find((each) => each.id === id);
  if (check === undefined) return undefined;
  const { explanation, title, verdict } = check;
  return paragraph(t`${badge(verdict)} ${link(`#${id}`, prose(title))}: ${prose(explanation)}`);
}

/** The verdict alone, as a link. */
export function checkBadge({ checks }: Judgement, id: CheckId): Text {
  const check = checks.find((each) => each.id === id);
  return check && link(`#${id}`, badge(check.verdict));
}

/** However long the run, no series has more than this many points. */
export const mostBuckets = 600;

const bucketChoicesMs = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
].map((seconds) => seconds * 1_000);

/** The cut of a run's time into equal buckets. */
export interface Buckets {
  readonly widthMs: number;
  readonly count: number;
}

/** The narrowest buckets that keep the whole run within `mostBuckets`. */
export const chooseBuckets = oncePerHistory(async (history): Promise<Buckets> => {
  const [extent] = await history.rows(
    z.object({ end_ns: z.number().nullable() }),
    `SELECT greatest(
       (SELECT max(greatest(intended_ns, coalesce(sent_ns, 0), coalesce(answered_ns, 0))) FROM requests),
       (SELECT max(CAST(json_extract(event, '$.endNs') AS BIGINT)) FROM events WHERE kind = 'phase')
     ) AS end_ns`,
  );
  return bucketsFor((extent?.end_ns ?? 0) / 1e6);
});

/** The buckets for a run of this many milliseconds. */
export function bucketsFor(endMs: number): Buckets {
  const widthMs =
    bucketChoicesMs.find((choice) => endMs / choice <= mostBuckets - 1) ??
    Math.ceil(endMs / (mostBuckets - 1));
  return { widthMs, count: Math.floor(endMs / widthMs) + 1 };
}

/** Where each bucket begins, in seconds. */
export function bucketStarts({ count, widthMs }: Buckets): number[] {
  return Array.from({ length: count }, (_, index) => (index * widthMs) / 1_000);
}

/** A phase of the load as it was driven, with the key that it belongs to. */
interface DrivenPhase extends Band {
  readonly role: Role;
}

export async function drivenPhases(history: History): Promise<DrivenPhase[]> {
  const rows = await history.rows(
    z.object({ name: z.string(), start_ns: z.number(), end_ns: z.number() }),
    `SELECT json_extract_string(event, '$.name') AS name, CAST(json_extract(event, '$.startNs') AS BIGINT) AS start_ns,
       CAST(json_extract(event, '$.endNs') AS BIGINT) AS end_ns
     FROM events WHERE kind = 'phase' ORDER BY start_ns`,
  );
  return rows.map((row) => ({
    name: row.name,
    fromS: row.start_ns / 1e9,
    toS: row.end_ns / 1e9,
    role: history.run.phases.find((phase) => phase.name === row.name)?.role ?? 'load',
  }));
}
