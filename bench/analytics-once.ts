/**
 * `node bench/analytics-once.ts RUN_DIR`: opens a history, recomputes what every analytics answer in it has to be under
 * every convention, and prints how long that took, as JSON. A process of its own, so that its memory is its own.
 */
import { analyticsTable } from '../src/checks/analytics/table.ts';
import { openHistory } from '../src/history/history.ts';
import type { AnalyticsOnce } from './analytics.ts';

const [dir = ''] = process.argv.slice(2);
const started = performance.now();
const history = await openHistory(dir);
const loaded = performance.now();
const cpuBefore = process.cpuUsage();
const table = await analyticsTable(history);
const computed = performance.now();
const cpu = process.cpuUsage(cpuBefore);
const once: AnalyticsOnce = {
  loadMs: loaded - started,
  computeMs: computed - loaded,
  computeCpuMs: (cpu.user + cpu.system) / 1e3,
  peakGiB: process.resourceUsage().maxRSS / 2 ** 20,
  interactions: table.facts.certainActs + table.facts.ambiguousActs,
  sessions: table.facts.certainSessions + table.facts.ambiguousSessions,
  answers: table.rows.length,
  frames: table.search?.evaluations.length ?? 0,
  conventions: table.conventions?.kind ?? 'nothing',
  totals: table.rows.map(({ totalSessions }) => totalSessions.expected?.min ?? -1),
};
history.close();
process.stdout.write(`${JSON.stringify(once)}\n`);
