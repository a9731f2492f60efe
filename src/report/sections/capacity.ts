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
${table('Steps of the closed loop', steps, [
  ['Phase', (step) => foreign(step.phase)],
  ['Connections', (step) => number(step.connections), 'number'],
  ['Requests/s', (step) => number(Math.round(step.requests_per_second * 10) / 10), 'number'],
  ['p50 ms', (step) => milliseconds(step.p50), 'number'],
  ['p90 ms', (step) => milliseconds(step.p90), 'number'],
  ['p99 ms', (step) => milliseconds(step.p99), 'number'],
  ['max ms', (step) => milliseconds(step.max), 'number'],
  ['Answers by status', (step) => statuses(step.statuses)],
  ['Errors', (step) => number(step.errors), 'number'],
  ['Time-outs', (step) => number(step.timeouts), 'number'],
])}`;
  return [{ body }];
}

function statuses(json: string): string {
  return Object.entries(statusCounts.parse(JSON.parse(json)))
    .map(([status, n]) => `${status}: ${number(n)}`)
    .join(', ');
}
