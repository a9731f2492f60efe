/**
 * `node bench/analytics-once.ts RUN_DIR [one]`: opens a history and computes the expected value of every analytics
 * answer under every convention, or under one promised by the profile. Prints the duration as JSON. A separate
 * process, so that its memory can be measured.
 */
import { analyticsTable } from '../src/checks/analytics/results/table.ts';
import { type History, openClaimed } from '../src/history/history.ts';
import { promisedConventions } from '../test/checks/analytics/promised.ts';
import type { AnalyticsOnce } from './analytics.ts';

const [dir = '', conventions] = process.argv.slice(2);
const started = performance.now();
const { confirmed, history } = await openClaimed(dir);
const loaded = performance.now();
const table = await analyticsTable(conventions === 'one' ? promisingOne(history) : history);
const computed = performance.now();
if (!(await confirmed)) throw new Error(`${dir}: not as it was written`);
const all = performance.now();
const cpu = process.cpuUsage();
const once: AnalyticsOnce = {
  loadMs: loaded - started,
  computeMs: computed - loaded,
  allMs: all - started,
  allCpuMs: (cpu.user + cpu.system) / 1e3,
  peakGiB: process.resourceUsage().maxRSS / 2 ** 20,
  interactions: table.facts.certainActs + table.facts.ambiguousActs,
  sessions: table.facts.certainSessions + table.facts.ambiguousSessions,
  answers: table.rows.length,
  frames: table.search?.evaluations.length ?? 0,
  conventions: table.conventions?.kind ?? 'nothing',
  totals: table.rows.map(({ totalSessions }) => totalSessions.expected?.min ?? -1),
};
history.close();

function promisingOne(opened: History): History {
  const analytics = { ...opened.profile.analytics, ...promisedConventions };
  return { ...opened, profile: { ...opened.profile, analytics } };
}

process.stdout.write(`${JSON.stringify(once)}\n`);
