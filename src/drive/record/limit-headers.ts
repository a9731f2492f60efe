import { problemField } from '../../history/record.ts';
import type { Exchange } from '../../target/exchange.ts';

/** All that is said of limits: `name: value`, joined by ` | `. */
export function limitHeadersOf(headers: Exchange<unknown>['headers'], problem?: string): string | undefined {
  let limits: string | undefined;
  for (const name in headers) {
    if (name.startsWith('ratelimit') || name.startsWith('x-ratelimit') || name.startsWith('x-rate-limit')) {
      const header = `${name}: ${String(headers[name])}`;
      limits = limits === undefined ? header : `${limits} | ${header}`;
    }
  }
  return limits === undefined || problem === undefined ? limits : `${limits} | ${problem}`;
}

/** A problem document is small. */
const largestBytes = 16 * 1_024;

/**
 * The problem document (RFC 9457) of a rejection with the fields of the current draft, as another such field: its type, its
 * status, and the policies that it calls violated. Undefined where there is none.
 */
export function limitProblemOf(
  exchange: Pick<Exchange<unknown>, 'bytes' | 'headers' | 'json' | 'status'>,
): string | undefined {
  const { bytes, headers, status = 0 } = exchange;
  const isLimited = headers.ratelimit !== undefined || headers['ratelimit-policy'] !== undefined;
  // A field that came twice is a list, whatever its type says.
  const isProblem = String(headers['content-type']).startsWith('application/problem+json');
  if (status < 400 || !isLimited || !isProblem || bytes > largestBytes) return undefined;
  const body = exchange.json();
  if (typeof body !== 'object' || body === null) return undefined;
  const { type, status: said, 'violated-policies': violated } = body as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') return undefined;
  const policies = Array.isArray(violated) ? violated.filter((each) => typeof each === 'string') : [];
  const names = [type.slice(type.lastIndexOf('#') + 1), ...policies].map(quoted);
  const [first, ...others] = names;
  const withStatus = Number.isInteger(said) ? `${first};status=${String(said)}` : first;
  return `${problemField}: ${[withStatus, ...others].join(', ')}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
