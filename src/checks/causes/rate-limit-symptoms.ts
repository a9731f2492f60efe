import { counted, number, seconds } from '../../amounts.ts';
import { type CauseKind, kind, type Params } from './kind.ts';

export const promiseChecks = [
  'rate-limit.enforced',
  'rate-limit.wrongful',
  'rate-limit.admitted',
  'rate-limit.recovery',
] as const;
/** Those that fail where too much is rejected, and not where too much is admitted. */
export const rejectionChecks = ['rate-limit.enforced', 'rate-limit.wrongful', 'rate-limit.recovery'] as const;
export const studyChecks = ['rate-limit.algorithm', 'rate-limit.limit', 'rate-limit.window'] as const;
export const headerChecks = [
  'rate-limit.headers',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
] as const;
/** Where the limiter is another than the promised one, headers that speak of either are wrong by the other. */
export const headerSymptoms = ['remaining-wrong', 'reset-wrong', 'stated-limit-wrong'] as const;
/** What a limiter looks like whose real fault is another one. */
const likenesses = [
  'limit-differs',
  'window-differs',
  'algorithm-differs',
  'limiter-unknown',
  'admits-over-limit',
  'refused-below-limit',
  'other-users-of-key',
] as const;

/**
 * A fault of the limiter, which by default fails what is promised, studied and said of it. To a check that sees only a symptom it
 * `looksLike` more than any such fault does.
 */
export function limiterFault<P extends Params = Record<never, never>>({
  looksLike = [],
  ...entry
}: Omit<CauseKind<P>, 'covers' | 'explains'> & {
  readonly explains?: CauseKind<P>['explains'];
  readonly looksLike?: readonly string[];
}): CauseKind<P> {
  return {
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    ...entry,
    covers: [...likenesses, ...looksLike, ...headerSymptoms],
  };
}

/** What is seen of a fault whose cause nothing shows: after all causes that would explain it. */
export const rateLimitSymptoms = {
  'admits-over-limit': kind<{ readonly admitted: number; readonly limit: number; readonly windowMs: number }>(
    {
      text: ({ admitted, limit, windowMs }) =>
        `More requests are admitted than a limit of ${number(limit)} per ${seconds(windowMs)} allows: ${number(admitted)} within one window.`,
      behind: 'A counter that is read and then written, so that requests at the same time pass together.',
      burst: () => ({ past: 'limit', factor: 1.2 }),
      explains: [...promiseChecks],
    },
  ),
  'refused-below-limit': kind<{
    readonly refused: number;
    readonly limit: number;
    readonly windowMs: number;
  }>({
    text: ({ limit, refused, windowMs }) =>
      `The limiter rejects requests below the limit of ${number(limit)} per ${seconds(windowMs)}: ${counted(refused, 'rejection')}.`,
    behind: 'A limiter that counts more than this client’s requests, or a lower limit in front of it.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: ['rate-limit.wrongful', 'rate-limit.recovery', 'rate-limit.enforced', 'rate-limit.isolation'],
  }),
  'limiter-unknown': kind<{ readonly limit: number; readonly windowMs: number }>({
    text: ({ limit, windowMs }) =>
      `No known kind of limiter of ${number(limit)} per ${seconds(windowMs)} explains the answers.`,
    behind: 'Several limits at once, a limit that changes, or requests of other clients that spend it.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks],
    covers: ['admits-over-limit', 'refused-below-limit'],
  }),
} as const;
