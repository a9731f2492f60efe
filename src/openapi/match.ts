import type { DescribedMedia, DescribedOperation, DescribedResponse } from './description.ts';

/** A request of an endpoint, as it goes out: placeholders stand for values (`/sessions/{session_id}`). */
export interface Route {
  readonly method: string;
  /** Below the base URL, without a query. */
  readonly path: string;
  /** The path of the base URL. */
  readonly base: string;
}

/** The described operation of a route, the most literal one of several. */
export function operationOf(
  operations: readonly DescribedOperation[],
  { base, method, path }: Route,
): DescribedOperation | undefined {
  const found = operations
    .filter((each) => each.method === method)
    .map((operation) => ({
      operation,
      literal: Math.max(
        // With its servers; or as authors write it who leave the base path to a gateway.
        ...operation.bases.map((each) => likeness(`${each}${operation.path}`, `${base}${path}`)),
        likeness(operation.path, path),
        likeness(operation.path, `${base}${path}`),
      ),
    }))
    .filter(({ literal }) => literal >= 0);
  return found.toSorted((a, b) => b.literal - a.literal)[0]?.operation;
}

/** How many segments are literally equal; below 0 where the path is not one of the template. */
function likeness(template: string, path: string): number {
  const [of, is] = [template.split('/'), path.split('/')];
  if (of.length !== is.length) return -1;
  let literal = 0;
  for (const [at, segment] of of.entries()) {
    if (segment === is[at]) literal++;
    else if (!segment.includes('{')) return -1;
  }
  return literal;
}

/** What is described for a status: exactly, for its class, or for all others. */
export function responseOf({ responses }: DescribedOperation, status: number): DescribedResponse | undefined {
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'default'];
  return keys.flatMap((key) => responses.find((each) => each.status === key) ?? [])[0];
}

/** What is described for a media type. */
export function mediaOf({ media }: DescribedResponse, type: string): DescribedMedia | undefined {
  const ranges = [type, `${type.split('/', 1)[0] ?? ''}/*`, '*/*'];
  return ranges.flatMap((range) => media.find((each) => each.range === range) ?? [])[0];
}

export function isJson(type: string): boolean {
  return /^[\w.+-]+\/(json|[\w.-]+\+json)$/.test(type);
}
