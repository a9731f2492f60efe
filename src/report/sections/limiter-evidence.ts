import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import { dataOf } from '../../checks/core/verdict.ts';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import type { LimiterFindings } from '../../checks/rate-limit/study/findings.ts';
import { orderText } from '../../checks/rate-limit/study/judge-order.ts';
import type { TriedProbe } from '../../checks/rate-limit/traces/scope.ts';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import { nameOfKind } from '../../limits/outside/table.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../vocabulary/probes.ts';
import {
  details,
  foreign,
  long,
  nothing,
  paragraph,
  type ReportFigure,
  strong,
  t,
  table,
  whole,
} from '../figure.ts';
import { checkLine } from '../section.ts';

/** A probability, never rounded up to certainty: `99.2 %`, `over 99.9 %`, `under 0.1 %`. */
export function percent(probability: number): string {
  if (probability > 0.999) return 'over 99.9 %';
  if (probability < 0.001) return 'under 0.1 %';
  return `${number(Math.round(probability * 1_000) / 10)} %`;
}

/** The kinds that explain the answers, and those that do not, with the reason. */
export function kindsPart({ refuted, survivors }: LimiterFindings['inference']): ReportFigure[] {
  return [
    ...(survivors.length === 0
      ? []
      : [
          table('Kinds of limiter that explain the answers', survivors, [
            ['Kind', ({ name }) => ({ span: 'name', text: name })],
            ['Likelihood', ({ confidence }) => whole(t`${strong('possible')}, ${percent(confidence)}`)],
            ['Other answers than assumed', ({ mismatches }) => number(mismatches), 'number'],
          ]),
          paragraph(
            'The order in which requests arrived is not known exactly. So the right kind, too, may have given a few other answers than it would have in the assumed order.',
          ),
        ]),
    ...(refuted.length === 0
      ? []
      : [
          details(
            `${counted(refuted.length, 'kind is', 'kinds are')} refuted, and why`,
            table('Refuted kinds of limiter', refuted, [
              ['Kind', ({ algorithm }) => ({ span: 'name', text: nameOfKind(algorithm) })],
              ['Refuted because', ({ because }) => long(foreign(because))],
              ['Requests', ({ evidence }) => [...new Set(evidence)].join(', ')],
            ]),
            paragraph(
              'No limit and no window make such a kind fit. The reason is the contradiction at the window that fits best.',
            ),
          ),
        ]),
  ];
}

/** Records named for each row; verdicts.json and the history hold the rest. */
const mostSeqs = 4;

const things: Readonly<Record<ScopeProbe, string>> = {
  'scope:read-session': 'GET /sessions/{id}',
  'scope:analytics': 'GET /analytics/sessions',
  'scope:create-session': 'POST /sessions',
  'scope:import-shades': 'POST /shades',
  'scope:interact': 'an interaction in a session of the key',
  'scope:other-key': 'GET /shades with another key',
  'scope:other-address': 'GET /shades from another address',
  'scope:other-shard': 'GET /shades from another shard',
  'scope:other-shard-key': 'GET /shades from another shard with another key',
  'scope:forwarded': 'GET /shades with X-Forwarded-For',
  'scope:spelled': 'GET /shades/ with a slash at the end of the path',
  'scope:new-connection': 'GET /shades over a new connection',
  'scope:bad-key': 'GET /shades with an unknown key',
  'scope:no-key': 'GET /shades without a key',
  'scope:unknown-session': 'GET /sessions/{id} with an unknown id',
  'scope:unknown-catalog': 'POST /sessions with an unknown catalog',
};

const conclusions: Readonly<Record<TriedProbe['sharing'], string>> = {
  shared: 'has the same limit',
  separate: 'has a separate limit, or none',
  unclear: 'unclear',
};

/** The scope of the limit: the tests at the limit, and the order of checks. */
export async function scopePart(
  history: History,
  { refusalStatus, tried }: LimiterFindings,
  judgement: Judgement,
): Promise<(ReportFigure | undefined)[]> {
  // By the two reasons for a 4xx: `401 before 429`.
  const found = Object.entries(dataOf(judgement.checks, 'rate-limit.order')?.orders ?? {});
  const orders = new Map(found.map(([name, counts]) => [name, orderText(counts)]));
  const flood = await history.rows(
    z.object({ status: z.number().nullable(), total: z.number() }),
    `SELECT status, count(*) AS total FROM requests
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.unauthenticated)} AND sent_ns IS NOT NULL GROUP BY status ORDER BY total DESC`,
  );
  const times = ([status, total]: readonly [status: string | number, total: number]): string =>
    `${number(total)} × ${status}`;
  const isAsPromised = judgement.checks.some(
    ({ id, verdict }) => id === 'rate-limit.scope' && verdict === 'pass',
  );
  const tests: ReportFigure[] = [
    table('Tests while the load key was at its limit, at the same time as a rejected GET /shades', tried, [
      ['What', ({ probe }) => things[probe]],
      [`Rejected (${refusalStatus})`, ({ refused }) => number(refused), 'number'],
      ['Passed', ({ passed }) => number(passed), 'number'],
      ['Other answers', ({ otherwise }) => Object.entries(otherwise).map(times).join(', ')],
      [
        'Conclusion',
        ({ probe, sharing }) => orders.get(probe.slice('scope:'.length)) ?? conclusions[sharing],
      ],
      [
        'Requests (seq)',
        ({ seqs }) => `${seqs.slice(0, mostSeqs).join(', ')}${seqs.length > mostSeqs ? ', …' : ''}`,
      ],
    ]),
    ...(flood.length === 0
      ? []
      : [
          paragraph(
            `More requests than the limit allows, without a valid key: ${flood.map(({ status, total }) => times([status ?? 'no answer', total])).join(', ')}.`,
          ),
        ]),
  ];
  return [
    checkLine(judgement, 'rate-limit.scope'),
    checkLine(judgement, 'rate-limit.isolation'),
    tried.length === 0
      ? nothing('The key was not at its limit for long enough to test anything there.')
      : {
          kind: 'details',
          summary: `${counted(tried.length, 'kind')} of requests at the limit: who shares it`,
          isOpen: !isAsPromised,
          body: tests,
        },
    checkLine(judgement, 'rate-limit.order'),
    checkLine(judgement, 'rate-limit.no-side-effect'),
  ];
}
