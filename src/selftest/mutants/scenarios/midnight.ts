import { auditAnalytics, defineScenario, idle, type Phase, steady } from 'tryon';

const days = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `2028-03-0${day}`);
const dayMs = 86_400_000;

/** A new session in nearly every millisecond around the midnight before a day. */
function aroundMidnight(day: string): Phase[] {
  const sessions = steady('1000/s', '300ms', { name: `midnight before ${day}`, traffic: 'sessions' });
  const calendar = { fromEpochMs: Date.parse(day) - 130, days: 1, dayTakesMs: dayMs };
  return [{ ...sessions, calendar } as Phase, idle('1s', { name: `after midnight, ${day}` })];
}

/** Sessions in the first milliseconds of each day, and then whether analytics of single days add up to those of all. */
export default defineScenario({
  name: 'selftest-midnight',
  title: 'Sessions in the first milliseconds of eight days',
  catalog: { products: 1 },
  load: days.flatMap(aroundMidnight),
  study: [auditAnalytics({ days: days.length + 1, budget: '60s' })],
  probes: false,
  settle: { readBack: 0 },
  checks: ['analytics'],
});
