import { z } from 'zod';
import { milliseconds, number } from '../../amounts.ts';
import { readCapacity } from '../../checks/capacity/steps.ts';
import type { History } from '../../history/history.ts';
import { foreign, html } from '../markup.ts';
import { nothingIf, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { saturationSteps } from '../tables.ts';
import { closedPart } from './capacity/closed.ts';
import { openPart } from './capacity/open.ts';

const statusCounts = z.record(z.string(), z.number());

/** The capacity of the target: the knee by rate and by concurrency, with all measurements. */
export const capacitySection: Section = { id: 'capacity', title: 'Capacity', make };

async function make({ history }: SectionInput): Promise<SectionBody | undefined> {
  const capacity = await readCapacity(history);
  const parts = [
    ...(capacity === undefined ? [] : [openPart(capacity), closedPart(capacity)]),
    ...(await saturationPart(history)),
  ];
  return parts.length === 0
    ? nothingIf(
        history.run.checks.includes('capacity'),
        'The scenario has neither a study of capacity nor a closed loop, so no capacity was measured.',
      )
    : {
        body: html`${parts.map(({ body }) => body)}`,
        charts: parts.flatMap(({ charts = [] }) => charts),
      };
}

async function saturationPart(history: History): Promise<SectionBody[]> {
  const steps = await saturationSteps(history);
  if (steps.length === 0) return [];
  const body = html`<p>In a closed loop, each connection sends its next request after an answer. These latencies leave out waits for a free connection.</p>
${table(
  'Steps of the closed loop',
  [
    { label: 'Phase' },
    { label: 'Connections', numeric: true },
    { label: 'Requests/s', numeric: true },
    { label: 'p50 ms', numeric: true },
    { label: 'p90 ms', numeric: true },
    { label: 'p99 ms', numeric: true },
    { label: 'max ms', numeric: true },
    { label: 'Answers by status' },
    { label: 'Errors', numeric: true },
    { label: 'Time-outs', numeric: true },
  ],
  steps.map((step) => [
    foreign(step.phase),
    number(step.connections),
    number(Math.round(step.requests_per_second * 10) / 10),
    ...[step.p50, step.p90, step.p99, step.max].map(milliseconds),
    statuses(step.statuses),
    number(step.errors),
    number(step.timeouts),
  ]),
)}`;
  return [{ body }];
}

function statuses(json: string): string {
  return Object.entries(statusCounts.parse(JSON.parse(json)))
    .map(([status, n]) => `${status}: ${number(n)}`)
    .join(', ');
}
