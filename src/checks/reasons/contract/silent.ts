import { requestText } from '../../diagnosis/requests.ts';

/** `POST /shades (probe batch-max)` for `import-shades batch-max`: a kind of request that gets no answer. */
export function silentText(kind: string): string {
  const [endpoint = kind, probe] = kind.split(' ');
  return `${requestText(endpoint)} (probe ${probe})`;
}
