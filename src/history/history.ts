import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import { usageError } from '../exit.ts';
import { fieldName } from '../target/json.ts';
import { type Profile, profileSchema } from '../target/profile.ts';
import { limitText } from '../vocabulary/quantities.ts';
import { columnarFiles, columnarViews, interactionsCsv, requestsCsv } from './columnar.ts';
import { ndjson, ndjsonRows, ownText } from './columns.ts';
import {
  allFiles,
  descriptionFile,
  type HistoryFile,
  historyFiles,
  parseVersioned,
  segmentCount,
  segmentsOf,
} from './files.ts';
import { answerColumns, catalogColumns } from './record.ts';
import { claimOf, type Inspection, type Integrity, inspectHistory } from './recover.ts';
import { type RunInfo, runInfoSchema, runInfoVersion } from './run.ts';
import { sessionsSql, skusSql, talliesSql } from './sessions.ts';
import { keepKnownPart, numberColumns, openStorage } from './storage.ts';

/**
 * A run's history, open for questions. Columns are as in `columns.ts`; instants are ns since the run's zero. Tables:
 * `requests`, `interactions` (with `place`, the order of writing), `sessions`, `skus` and `tallies` (see
 * `sessions.ts`), `answers(seq, endpoint, query JSON, body JSON, paged_by, link, page_of)`, those of the explorer apart as
 * `explored` (with `call JSON`: what was sent), `catalog(catalog_id,
 * product_id, product_name, sku, name, hex, finish)`, `events(kind, event JSON)`.
 */
export interface History {
  readonly run: RunInfo;
  /** What the run held the target to; durations in milliseconds. */
  readonly profile: Profile;
  readonly integrity: Integrity;
  /** Requests on disk that are not in the tables, since some before them are not on disk; see `storage.ts`. */
  readonly leftOut: number;
  /** The description of the target in OpenAPI, as it was given; undefined without one. */
  readonly openapi?: string | undefined;
  /** Rows of a query, each checked against `row`. BIGINT arrives as a number (every such column here stays below 2^53). */
  rows<Row extends z.ZodType>(
    row: Row,
    sql: string,
    parameters?: Readonly<Record<string, DuckDBValue>>,
  ): Promise<z.output<Row>[]>;
  /**
   * The columns of a query, each a DOUBLE, NULL as NaN. For millions of rows: an object per row costs some
   * microseconds and hundreds of bytes. A column without NULL is read quickly. `rows`: how many to expect.
   */
  columns(
    sql: string,
    parameters?: Readonly<Record<string, DuckDBValue>>,
    rows?: number,
  ): Promise<readonly Float64Array[]>;
  /** Runs statements that make tables or views for later questions. Returns how many rows the last one wrote. */
  execute(sql: string): Promise<number>;
  /**
   * The same history over a second connection, for questions asked at the same time; temporary tables of one are unknown to
   * the other. Undefined where that saves no time (a short history), or there is no memory for it (a very long one).
   */
  readonly beside?: History | undefined;
  /** Closes both. */
  close(): void;
}

/** Opens the history of the run in `runDir`, recovering it first if its writer was cut off. Throws a usage error when there is none. */
export async function openHistory(runDir: string): Promise<History> {
  const run = await readRunInfo(runDir);
  return openAs(runDir, run, await inspectHistory(runDir, run));
}

/** A history that was opened at its manifest's word. */
export interface ClaimedHistory {
  readonly history: History;
  /** Whether the files are as the manifest says. If not, nothing of the history counts: it is to be opened by `openHistory`. */
  readonly confirmed: Promise<boolean>;
}

/**
 * Like `openHistory`, but it trusts the manifest of a long history with a columnar copy while threads compute the
 * digests, which takes seconds. `fromBytes`: what counts as long.
 */
export async function openClaimed(runDir: string, fromBytes?: number): Promise<ClaimedHistory> {
  const run = await readRunInfo(runDir);
  const claim = await claimOf(runDir, run, fromBytes);
  if (claim === undefined) return { history: await openHistory(runDir), confirmed: Promise.resolve(true) };
  const confirmed = inspectHistory(runDir, run).then((found) => isDeepStrictEqual(found, claim));
  // The caller of `confirmed` gets the failure; until then it must not end the process.
  confirmed.catch(() => undefined);
  try {
    return { history: await openAs(runDir, run, claim), confirmed };
  } catch (error) {
    if (await confirmed) throw error;
    return { history: await openHistory(runDir), confirmed: Promise.resolve(true) };
  }
}

async function openAs(runDir: string, run: RunInfo, { integrity, columnar }: Inspection): Promise<History> {
  const dir = join(runDir, 'history');
  if (run.shard !== undefined) {
    const { index, of } = run.shard;
    throw usageError(
      `${runDir}: shard ${index} of ${of}, which shows only a part: tryon merge ${dirname(runDir)} judges all`,
    );
  }
  const profile = parseResolvedProfile(run, runDir);
  const storage = await openStorage(
    allFiles(segmentCount(run)).map((name) => join(dir, name)),
    columnar,
  );
  const { beside, connection } = storage;
  let leftOut = 0;
  try {
    await loadTables(connection, dir, segmentCount(run), columnar);
    // What is unknown of shards is another matter: `withLostShards`.
    if (integrity.kind === 'recovered' && run.shards === undefined) leftOut = await keepKnownPart(connection);
  } catch (error) {
    storage.close();
    throw usageError(`${dir}: cannot be read as a history: ${String(error)}`, error);
  }
  // One that is gone is a difference in the history; see `recover.ts`.
  const openapi = run.openapi && (await readFile(join(dir, descriptionFile), 'utf8').catch(() => undefined));
  const over = (own: DuckDBConnection): History => ({
    run,
    profile,
    integrity,
    leftOut,
    openapi,
    rows: (row, sql, parameters) => rows(own, row, sql, parameters),
    columns: (sql, parameters, expected) => numberColumns(own, sql, parameters, expected),
    execute: async (sql) => {
      const [[written] = []] = await (await own.run(sql)).getRows();
      return Number(written ?? 0);
    },
    close: storage.close,
  });
  return { ...over(connection), beside: beside && over(beside) };
}

/** The description of a run in its folder. Throws a usage error if there is none, or it is invalid. */
export async function readRunInfo(runDir: string): Promise<RunInfo> {
  const file = join(runDir, 'run.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${runDir}: not the folder of a run (no run.json in it)`, error);
  }
  const parsed = runInfoSchema.safeParse(parseVersioned(file, text, runInfoVersion));
  if (!parsed.success) throw usageError(`${file}: ${issuesInWords(parsed.error)}`);
  return parsed.data;
}

/** In one line. */
function issuesInWords(error: z.ZodError): string {
  return error.issues.map(({ message, path }) => [...path.map(fieldName), message].join(': ')).join('; ');
}

/** The profile of a run as its author could have written it, with every default filled in. */
export function profileFieldsOf({
  profile,
  target,
}: Pick<RunInfo, 'profile' | 'target'>): Readonly<Record<string, unknown>> {
  // The limit is stored resolved; the schema reads it as text.
  const limit = z.object({ requests: z.number(), windowMs: z.number() }).safeParse(profile.rate_limit);
  const text = limit.success ? { rate_limit: limitText(limit.data) } : {};
  // An older run does not say so of the service that it started.
  const isOwn = target.kind === 'embedded' && profile.shared_keys !== true;
  return { exclusive_keys: isOwn, ...profile, ...text };
}

function parseResolvedProfile(run: RunInfo, runDir: string): Profile {
  const parsed = profileSchema.safeParse(profileFieldsOf(run));
  if (!parsed.success)
    throw usageError(`${join(runDir, 'run.json')}: profile: ${issuesInWords(parsed.error)}`);
  return parsed.data;
}

async function loadTables(
  connection: DuckDBConnection,
  dir: string,
  segments: number,
  columnar: boolean,
): Promise<void> {
  const path = (name: string): string => ownText(join(dir, name));
  /** All segments of a file, in their order. */
  const paths = (file: HistoryFile): string => `[${segmentsOf(file, segments).map(path).join(', ')}]`;
  await connection.run(
    columnar
      ? `${columnarViews(dir)}
         CREATE VIEW sessions AS FROM read_parquet(${path(columnarFiles.sessions)});
         CREATE VIEW tallies AS FROM read_parquet(${path(columnarFiles.tallies)});`
      : `CREATE TABLE requests AS FROM ${requestsCsv(dir, segments)};
         CREATE TABLE interactions_in_order AS FROM ${interactionsCsv(dir, segments)};
         CREATE VIEW interactions AS SELECT rowid AS place, * FROM interactions_in_order;`,
  );
  await connection.run(`CREATE VIEW skus AS ${skusSql}`);
  if (!columnar)
    await connection.run(`CREATE VIEW sessions AS ${sessionsSql()}; CREATE VIEW tallies AS ${talliesSql}`);
  await connection.run(`
    CREATE TABLE bodies AS FROM ${ndjsonRows(paths(historyFiles.answers), answerColumns)};
    CREATE VIEW explored AS SELECT * FROM bodies WHERE call IS NOT NULL OR page_of IN (SELECT seq FROM bodies WHERE call IS NOT NULL);
    CREATE VIEW answers AS SELECT * EXCLUDE (sample, wire, call) FROM bodies WHERE sample IS NOT TRUE AND seq NOT IN (SELECT seq FROM explored);
    CREATE TABLE catalog AS FROM ${ndjsonRows(paths(historyFiles.catalog), catalogColumns)};
    CREATE TABLE events AS SELECT json_extract_string(json, '$.kind') AS kind, json AS event
      FROM read_json_objects(${paths(historyFiles.events)}, ${ndjson});
  `);
}

async function rows<Row extends z.ZodType>(
  connection: DuckDBConnection,
  row: Row,
  sql: string,
  parameters?: Readonly<Record<string, DuckDBValue>>,
): Promise<z.output<Row>[]> {
  const result = await connection.run(sql, parameters === undefined ? undefined : { ...parameters });
  const parsed: z.output<Row>[] = [];
  // Chunk by chunk, so that a million rows are not there twice.
  for await (const chunk of result.yieldRowObjectJs()) {
    for (const object of chunk) {
      for (const name in object) {
        const value = object[name];
        if (typeof value === 'bigint') object[name] = Number(value);
      }
      parsed.push(row.parse(object));
    }
  }
  return parsed;
}
