import { counted, number } from '../amounts.ts';
import { foreign, heading, paragraph, type ReportFigure, table } from '../report/figure.ts';
import { figureLines } from '../report/figure-terminal.ts';
import { instant, visible, windowName, wrap } from '../report/text.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { assumptions, type Simulated } from './assumptions.ts';
import { plannedOf, type SimulatedPeriod } from './play.ts';

/** Days that are shown one by one; `--json` has them all. */
const mostDays = 31;
const width = 80;

/** A simulation as text for a terminal of 80 columns. */
export function renderSimulation(simulated: Simulated): string {
  const { days, outcome, scenario, seed } = simulated;
  const load =
    days === undefined
      ? "the scenario's own load"
      : `${number(days.sessionsPerDay)} shoppers a day for ${counted(days.days, 'day')}, by the day curve${days.inWaves ? ' and in waves' : ''}`;
  const top = outcome.all.analytics.top_shades;
  const figures: readonly ReportFigure[] = [
    heading('Shoppers'),
    shoppersFigure(simulated),
    heading('Requests'),
    table('Requests', outcome.requests, [
      ['key', ({ role }) => role],
      ['endpoint', ({ kind }) => kind],
      ['planned', (each) => number(plannedOf(each)), 'number'],
      ['admitted', ({ admitted }) => number(admitted), 'number'],
      ['429', ({ limited }) => number(limited), 'number'],
      ['402', ({ overQuota }) => number(overQuota), 'number'],
      ['not sent', ({ noChannel, noSession }) => number(noSession + noChannel), 'number'],
    ]),
    heading('Analytics'),
    ...periodFigures(simulated),
    heading('top_shades'),
    top.length === 0
      ? paragraph('No shade was selected.')
      : table('top_shades', top, [
          ['SKU', ({ sku }) => foreign(sku)],
          ['selections', ({ selections }) => number(selections), 'number'],
        ]),
    heading('Assumed'),
    { kind: 'list', items: assumptions(simulated).map(foreign) },
  ];
  const lines = [
    ...wrap(`${visible(scenario.name)}: ${visible(scenario.title)}`, width),
    ...wrap(`${load}, seed ${seed}`, width),
    ...figureLines(figures, width),
  ];
  return `${lines.join('\n')}\n`;
}

function shoppersFigure({ days, model, outcome }: Simulated): ReportFigure {
  const { busiest, firstLimitedNs, quotaSpentNs } = outcome;
  const { limited, opened, overQuota } = outcome.all.shoppers;
  const { requests, windowMs } = model.rateLimit;
  const at = days === undefined ? instant : dayAndTime;
  const entries: readonly (readonly [name: string, value: string | false])[] = [
    ['Shoppers who requested a session', number(opened + limited + overQuota)],
    ['  got one', number(opened)],
    ['  were rejected (429)', number(limited)],
    ['  were over quota (402)', number(overQuota)],
    ['First 429 to any request', firstLimitedNs !== undefined && at(firstLimitedNs)],
    ['Quota spent', quotaSpentNs !== undefined && at(quotaSpentNs)],
    [
      `Busiest ${windowName(windowMs)}`,
      busiest !== undefined &&
        `${number(busiest.requests)} requests from ${at(busiest.startNs)} (limit ${number(requests)})`,
    ],
  ];
  return { kind: 'facts', entries: entries.filter(([, value]) => value !== false) };
}

/** Analytics of the whole time, or of each day and all of them. */
function periodFigures({ model, outcome: { all, days } }: Simulated): ReportFigure[] {
  const decimals = Math.min(model.analytics.decimals, 4);
  if (days.length === 0) {
    const names = ['total_sessions', 'avg_shades_per_session', 'cart_intent_rate'] as const;
    return [{ kind: 'facts', entries: names.map((name) => [name, number(all.analytics[name])]) }];
  }
  const shown = days.slice(0, mostDays).map((period, at) => ({ name: String(at + 1), period }));
  const column = (label: string, of: (period: SimulatedPeriod) => string) =>
    [label, ({ period }: (typeof shown)[number]) => of(period), 'number'] as const;
  return [
    table(
      'By day',
      [...shown, { name: 'all', period: all }],
      [
        ['day', ({ name }) => name],
        column('shoppers', ({ shoppers }) => number(askedOf(shoppers))),
        column('429', ({ shoppers }) => number(shoppers.limited)),
        column('402', ({ shoppers }) => number(shoppers.overQuota)),
        column('total_sessions', ({ analytics }) => number(analytics.total_sessions)),
        column('avg_shades', ({ analytics }) => analytics.avg_shades_per_session.toFixed(decimals)),
        column('cart_rate', ({ analytics }) => analytics.cart_intent_rate.toFixed(decimals)),
      ],
    ),
    ...(days.length > mostDays
      ? [paragraph(`and ${number(days.length - mostDays)} more days: see --json`)]
      : []),
  ];
}

/** `day 3, 13:05:22`. Days are counted from 1. */
function dayAndTime(ns: number): string {
  const ms = ns / 1e6;
  const time = new Date(ms % dayMs).toISOString().slice(11, 19);
  return `day ${Math.floor(ms / dayMs) + 1}, ${time}`;
}

function askedOf({ limited, opened, overQuota }: SimulatedPeriod['shoppers']): number {
  return opened + limited + overQuota;
}

/** A simulation as JSON: the same bytes for the same arguments, on any machine. */
export function simulationJson(simulated: Simulated): object {
  const { days, leftOut, model, outcome, scenario, seed } = simulated;
  const { all, busiest, days: periods, events, firstLimitedNs, products, quotaSpentNs, requests } = outcome;
  const played = days && {
    sessions_per_day: days.sessionsPerDay,
    days_played: days.days,
    in_waves: days.inWaves,
  };
  const period = ({ analytics, shoppers }: SimulatedPeriod): object => ({
    shoppers: { asked: askedOf(shoppers), ...shoppers },
    analytics,
  });
  return snakeCased({
    schemaVersion: 1,
    scenario: scenario.name,
    seed,
    ...played,
    leftOut,
    model,
    assumptions: assumptions(simulated),
    ...period(all),
    interactions: events,
    requests: requests.map(({ kind, role, ...fates }) => ({
      role,
      endpoint: kind,
      planned: plannedOf(fates),
      ...fates,
    })),
    firstLimitedNs: firstLimitedNs ?? null,
    quotaSpentNs: quotaSpentNs ?? null,
    unfinished: outcome.unfinished,
    busiestWindow: busiest ?? null,
    days: periods.map((each, day) => ({ day: day + 1, ...period(each) })),
    products: products.map(({ analytics, productId }) => ({ productId, ...analytics })),
  }) as object;
}

/** The names of fields as JSON has them. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(each),
    ]),
  );
}
