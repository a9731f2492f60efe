import { counted, number } from '../amounts.ts';
import { cut, instant, perWindow, visible, wrap } from '../report/text.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { assumptions, type Simulated } from './assumptions.ts';
import { plannedOf, type RequestCounts, type SimulatedPeriod } from './play.ts';
import type { ServiceModel } from './service.ts';

/** Days that are shown one by one; `--json` has them all. */
const mostDays = 31;

const width = 80;
const labelWidth = 33;
const fateColumns: readonly number[] = [11, 11, 10, 10, 11];
const dayColumns: readonly number[] = [12, 11, 12, 15, 12, 12];

/** A simulation as text for a terminal of 80 columns. */
export function renderSimulation(simulated: Simulated): string {
  const { days, outcome, scenario, seed } = simulated;
  const load =
    days === undefined
      ? "the scenario's own load"
      : `${number(days.sessionsPerDay)} shoppers a day for ${counted(days.days, 'day')}, by the day curve${days.inWaves ? ' and in waves' : ''}`;
  const lines = [
    ...wrap(`${visible(scenario.name)}: ${visible(scenario.title)}`, width),
    ...wrap(`${load}, seed ${seed}`, width),
    '',
    ...keyLines(simulated),
    '',
    ...requestLines(outcome.requests),
    '',
    ...(outcome.days.length === 0
      ? analyticsLines(outcome.all)
      : dayLines(outcome.days, outcome.all, simulated.model)),
    '',
    ...topLines(outcome.all),
    '',
    'Assumed',
    ...assumptions(simulated).flatMap((sentence) =>
      wrap(visible(sentence), width - 4).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
    ),
  ];
  return `${lines.map((line) => cut(line.trimEnd(), width)).join('\n')}\n`;
}

function keyLines({ days, model, outcome }: Simulated): string[] {
  const { busiest, firstLimitedNs, quotaSpentNs } = outcome;
  const { limited, opened, overQuota } = outcome.all.shoppers;
  const { requests, windowMs } = model.rateLimit;
  const at = days === undefined ? instant : dayAndTime;
  const row = (label: string, value: string): string => `${label.padEnd(labelWidth)}${value}`;
  const count = (label: string, n: number): string => row(label, number(n).padStart(11));
  return [
    count('Shoppers who requested a session', opened + limited + overQuota),
    count('  got one', opened),
    count('  were rejected (429)', limited),
    count('  were over quota (402)', overQuota),
    ...(firstLimitedNs === undefined ? [] : [row('First 429 to any request', at(firstLimitedNs))]),
    ...(quotaSpentNs === undefined ? [] : [row('Quota spent', at(quotaSpentNs))]),
    ...(busiest === undefined
      ? []
      : [
          row(
            `Busiest ${perWindow(1, windowMs).slice('1 per '.length)}`,
            `${number(busiest.requests)} requests from ${at(busiest.startNs)} (limit ${number(requests)})`,
          ),
        ]),
  ];
}

function requestLines(requests: readonly RequestCounts[]): string[] {
  const row = (name: string, cells: readonly string[]): string =>
    name.padEnd(27) + aligned(cells, fateColumns);
  return [
    row('Requests', ['planned', 'admitted', '429', '402', 'not sent']),
    ...requests.map((counts) =>
      row(
        `  ${counts.role} ${counts.kind}`,
        [
          plannedOf(counts),
          counts.admitted,
          counts.limited,
          counts.overQuota,
          counts.noSession + counts.noChannel,
        ].map(number),
      ),
    ),
  ];
}

function analyticsLines({ analytics }: SimulatedPeriod): string[] {
  return [
    'Analytics',
    ...(['total_sessions', 'avg_shades_per_session', 'cart_intent_rate'] as const).map(
      (name) => `  ${name.padEnd(labelWidth - 2)}${number(analytics[name]).padStart(11)}`,
    ),
  ];
}

function dayLines(
  days: readonly SimulatedPeriod[],
  all: SimulatedPeriod,
  { analytics }: ServiceModel,
): string[] {
  const decimals = Math.min(analytics.decimals, 4);
  const row = (name: string, cells: readonly string[]): string => name.padEnd(6) + aligned(cells, dayColumns);
  const ofPeriod = ({
    analytics: numbers,
    shoppers: { limited, opened, overQuota },
  }: SimulatedPeriod): string[] => [
    number(opened + limited + overQuota),
    number(limited),
    number(overQuota),
    number(numbers.total_sessions),
    numbers.avg_shades_per_session.toFixed(decimals),
    numbers.cart_intent_rate.toFixed(decimals),
  ];
  return [
    row('Day', ['shoppers', '429', '402', 'total_sessions', 'avg_shades', 'cart_rate']),
    ...days.slice(0, mostDays).map((day, index) => row(`  ${index + 1}`, ofPeriod(day))),
    ...(days.length > mostDays ? [`  and ${number(days.length - mostDays)} more days: see --json`] : []),
    row('  all', ofPeriod(all)),
  ];
}

function topLines({ analytics: { top_shades: top } }: SimulatedPeriod): string[] {
  if (top.length === 0) return ['top_shades: no shade was selected'];
  const widest = Math.min(width - 15, Math.max(...top.map(({ sku }) => sku.length)));
  return [
    'top_shades',
    ...top.map(
      ({ selections, sku }) =>
        `  ${cut(visible(sku), widest).padEnd(widest)}${number(selections).padStart(13)}`,
    ),
  ];
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('');
}

/** `day 3, 13:05:22`. Days are counted from 1. */
function dayAndTime(ns: number): string {
  const ms = ns / 1e6;
  const time = new Date(ms % dayMs).toISOString().slice(11, 19);
  return `day ${Math.floor(ms / dayMs) + 1}, ${time}`;
}
