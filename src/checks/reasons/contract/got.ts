/** What became of a request: the status of its answer, or why it has none. `notSent: null`: there was no such request. */
export type Got =
  | { readonly status: number | null }
  | { readonly notSent: string | null }
  | { readonly lost: string };

/** Completes “The import …”. */
export function gotText(got: Got): string {
  if ('lost' in got) return `got no answer (${got.lost})`;
  if ('notSent' in got) return got.notSent === null ? 'was not sent' : `was not sent (${got.notSent})`;
  return got.status === null ? 'got no status' : `got ${got.status}`;
}
