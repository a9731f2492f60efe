import { counted, countedFirst, number } from '../../../amounts.ts';
import type { Sources } from '../../../checks/analytics/compare/sources.ts';
import type { Reconciliation } from '../../../checks/analytics/record/reconcile.ts';
import { reasonText } from '../../../checks/reasons/reason.ts';
import type { LossPlace } from '../../../vocabulary/analytics.ts';
import { foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
import type { CheckLinks } from '../check-links.ts';

const places: Readonly<Record<LossPlace, string>> = {
  write: 'lost when written: GET /sessions/{id} does not have it either',
  history: 'lost in the history: analytics have it, GET /sessions/{id} does not',
  aggregation: 'lost in aggregation: GET /sessions/{id} has it',
  unlocated: 'not certain: stored wrong or counted wrong; the sessions read back, if any, are complete',
};

/** Differences that the page names one by one. */
const mostLocated = 12;

/** How far sessions and events got, step by step, and where the differences in analytics arose. */
export function sourcesPart(
  { funnel, located }: Sources,
  { illegible }: Reconciliation,
  checks: CheckLinks,
): Html {
  const { interactions, sessions } = funnel;
  return html`<p>There are two sources of truth: this run’s record, and <code>GET /sessions/{id}</code>. They are compared session by session, and each with analytics. Only some sessions are read back.</p>
<p>The run sent ${counted(sessions.asked, 'request')} for a new session (<code>POST /sessions</code>). The target created ${counted(sessions.granted, 'session')}, and the run read ${number(sessions.readBack)} of them back.</p>
${funnelTable('Sessions', [
  ['requests for a new session', sessions.asked, sessions.asked],
  ['sessions created: 2xx with a new session_id', sessions.granted, sessions.asked],
  ['sessions read back', sessions.readBack, sessions.granted],
  ['read back with the values of this run’s record', sessions.agree, sessions.readBack],
])}
${
  interactions.sent > 0 &&
  funnelTable('Events', [
    ['events sent', interactions.sent, interactions.sent],
    ['events whose request got 2xx', interactions.acknowledged, interactions.sent],
    ...(interactions.accepted === null
      ? []
      : [['events accepted, as the answers say', interactions.accepted, interactions.acknowledged] as const]),
    ['events of sessions that were read back', interactions.looked_for, interactions.acknowledged],
    ['events that GET /sessions/{id} shows', interactions.found, interactions.looked_for],
  ])
}
${illegible.length > 0 && html`<p class="none">Not everything could be compared. ${foreign(illegible.map(reasonText).join(' '))}</p>`}
${checks.line('analytics.sessions')}
${
  located.length > 0 &&
  table(
    `${countedFirst(mostLocated, located.length, 'difference')} in analytics, and ${located.length === 1 ? 'its' : 'their'} source`,
    located.slice(0, mostLocated),
    [
      ['Query', ({ query }) => foreign(query)],
      ['Field', ({ field }) => field],
      ['Where', ({ place }) => html`<div class="long">${places[place]}</div>`],
    ],
  )
}
${located.length > mostLocated && html`<p class="none">All are in verdicts.json.</p>`}`;
}

type CountedStep = readonly [what: string, count: number, of: number];

function funnelTable(name: string, steps: readonly CountedStep[]): Html {
  return table(`${name}, step by step`, steps, [
    [name, ([what]) => what],
    ['Count', ([, count]) => number(count), 'number'],
    ['Of the step before', ([, count, of]) => bar(count, of)],
  ]);
}

function bar(count: number, of: number): Html {
  const share = of === 0 ? 0 : Math.min(1, count / of);
  const percent = `${Math.floor(1_000 * share) / 10} %`;
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${percent}"><rect width="100" height="8" class="fill-not-sent" opacity="0.25"/><rect width="${Math.round(1_000 * share) / 10}" height="8" class="fill-ok"/></svg> <span class="unit nowrap">${percent}</span>`;
}
