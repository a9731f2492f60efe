/** The files of `history/`. */
export const historyFiles = {
  requests: 'requests.csv',
  interactions: 'interactions.csv',
  answers: 'answers.ndjson',
  catalog: 'catalog.ndjson',
  events: 'events.ndjson',
} as const;
export type HistoryFile = (typeof historyFiles)[keyof typeof historyFiles];

/** Beside them: the description of the target, if the run was given one. Its digest is in `run.json`. */
export const descriptionFile = 'openapi.json';

/*
 * Each worker thread writes a segment of the history, so that none waits for another. The main thread writes
 * `requests.csv` and so on, as in every run; worker n writes its load to `requests.n.csv` and so on. Together they
 * are the history. In a run merged from shards, segment n has the records of shard n + 1.
 */

/** More workers than this no machine has cores for. */
export const mostWorkers = 64;

/** A file's name in a segment: 0, the main thread's, or the number of a worker. */
export function fileIn(segment: number, file: HistoryFile): string {
  return segment === 0 ? file : file.replace('.', `.${segment}.`);
}

/** How many segments the history of a run has: of its main thread and of each worker, or of each shard. */
export function segmentCount({
  shards,
  workers,
}: {
  readonly workers?: number | undefined;
  readonly shards?: readonly unknown[] | undefined;
}): number {
  if (shards !== undefined) return shards.length;
  return workers === undefined ? 1 : workers + 1;
}

/** The names of one file in all segments of a run. */
export function segmentsOf(file: HistoryFile, segments: number): string[] {
  return Array.from({ length: segments }, (_, segment) => fileIn(segment, file));
}

/** The names of all files of a run's history. */
export function allFiles(segments: number): string[] {
  return Object.values(historyFiles).flatMap((file) => segmentsOf(file, segments));
}
