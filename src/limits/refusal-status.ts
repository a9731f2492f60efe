/** A stray error or two is no limiter. */
const leastRefusals = 10;

/** The outcome of a request, as far as it shows how a service rejects. */
export interface Answered {
  readonly endpoint: string;
  readonly status: number | null | undefined;
}

/** The status of rejections if not the promised 429: the commonest error that only reads under load got. */
export function refusalStatusOf(requests: Iterable<Answered>): number {
  const counts = new Map<number, number>();
  for (const { endpoint, status } of requests) {
    if (status === 429) return 429;
    if (endpoint === 'list-shades' && mayRefuse(status)) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const [commonest] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return commonest !== undefined && commonest[1] >= leastRefusals ? commonest[0] : 429;
}

function mayRefuse(status: Answered['status']): status is number {
  return typeof status === 'number' && status >= 400 && status !== 404 && status !== 401;
}
