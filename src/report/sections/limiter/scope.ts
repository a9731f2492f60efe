import { z } from 'zod';
import { number } from '../../../amounts.ts';
import { dataOf } from '../../../checks/core/check-data.ts';
import type { Judgement } from '../../../checks/diagnosis/judgement.ts';
import type { LimiterFindings } from '../../../checks/rate-limit/study/findings.ts';
import { orderText } from '../../../checks/rate-limit/study/judge-order.ts';
import type { TriedProbe } from '../../../checks/rate-limit/traces/scope.ts';
import { twoReasonsText } from '../../../checks/reasons/rate-limit/study.ts';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
import type { CheckLinks } from '../check-links.ts';

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

const floodRow = z.object({ status: z.number().nullable(), total: z.number() });

/** The scope of the limit: the tests at the limit, and the order of checks. */
export async function scopePart(
  history: History,
  { tried, refusalStatus }: LimiterFindings,
  judgement: Judgement,
  checks: CheckLinks,
): Promise<Html> {
  const orders = ordersOf(judgement);
  const flood = await floodStatuses(history);
  return html`${
    tried.length === 0
      ? html`<p class="none">The key was not at its limit for long enough to test anything there.</p>`
      : table(
          'Tests while the load key was at its limit, at the same time as a rejected GET /shades',
          tried,
          [
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
          ],
        )
  }
${
  flood.length > 0 &&
  html`<p>More requests than the limit allows, without a valid key: ${flood.map(({ status, total }) => times([status ?? 'no answer', total])).join(', ')}.</p>`
}
${checks.line('rate-limit.scope')}${checks.line('rate-limit.isolation')}
<h3>Order in which the target checks</h3>
${
  orders.size === 0
    ? html`<p class="none">No request had two reasons for a 4xx.</p>`
    : table(
        'Requests with two reasons for a 4xx',
        [...orders],
        [
          ['Request', ([name]) => foreign(twoReasonsText(name))],
          ['Order', ([, order]) => foreign(order)],
        ],
      )
}
${checks.title('rate-limit.order')}${checks.line('rate-limit.no-side-effect')}`;
}

function times([status, total]: readonly [status: string | number, total: number]): string {
  return `${number(total)} × ${status}`;
}

/** By the two reasons for a 4xx: `401 before 429`. */
function ordersOf({ checks }: Judgement): ReadonlyMap<string, string> {
  const orders = Object.entries(dataOf(checks, 'rate-limit.order')?.orders ?? {});
  return new Map(orders.map(([name, counts]) => [name, orderText(counts)]));
}

function floodStatuses(history: History): Promise<z.output<typeof floodRow>[]> {
  return history.rows(
    floodRow,
    `SELECT status, count(*) AS total FROM requests
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.unauthenticated)} AND sent_ns IS NOT NULL GROUP BY status ORDER BY total DESC`,
  );
}
