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
 * are the history.
 */

/** More workers than this no machine has cores for. */
export const mostWorkers = 64;

/** A file's name in a segment: 0, the main thread's, or the number of a worker. */
export function fileIn(segment: number, file: HistoryFile): string {
  return segment === 0 ? file : file.replace('.', `.${segment}.`);
}

/** The names of one file in all segments of a run. `workers`: as in `run.json`, where 1 is left out. */
export function segmentsOf(file: HistoryFile, workers = 1): string[] {
  const segments = workers === 1 ? 1 : workers + 1;
  return Array.from({ length: segments }, (_, segment) => fileIn(segment, file));
}

/** The names of all files of a run's history. */
export function allFiles(workers?: number): string[] {
  return Object.values(historyFiles).flatMap((file) => segmentsOf(file, workers));
}
