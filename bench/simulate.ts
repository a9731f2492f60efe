/**
 * `node bench/simulate.ts [--sessions-per-day n] [--days n]`: how many sessions a second a simulation plays on one core,
 * by limiter, and what memory it takes. By default a million sessions each.
 */
import { parseArgs } from 'node:util';
import { limiterNames } from '../src/commands/options.ts';
import { makePlan } from '../src/plan/plan.ts';
import { generateCatalog } from '../src/scenario/catalog/generate.ts';
import { dayCurve } from '../src/scenario/load.ts';
import { shopperSettingsSchema } from '../src/scenario/shoppers/settings.ts';
import { play } from '../src/simulate/play.ts';

const { values } = parseArgs({
  options: {
    'sessions-per-day': { type: 'string', default: '50000' },
    days: { type: 'string', default: '20' },
  },
});
const sessionsPerDay = Number(values['sessions-per-day']);
const days = Number(values.days);
const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 12 });

for (const limiter of limiterNames) {
  const plan = makePlan({
    seed: 1,
    load: [dayCurve(sessionsPerDay, `${days}d`, { bursts: true })],
    catalogs: { load: catalog, quota: catalog, twin: catalog, bystander: catalog },
    shoppers: shopperSettingsSchema.parse({}),
    quota: undefined,
  });
  const before = process.cpuUsage();
  const { all } = play({
    plan,
    catalog,
    days,
    model: {
      limiter,
      // Tight enough that the fuller minutes of the day are refused some.
      rateLimit: { requests: Math.ceil(sessionsPerDay / 400), windowMs: 60_000 },
      limitScope: 'per-key',
      limitEndpoints: 'together',
      quotas: {},
      channel: 'free',
      analytics: { shadesPerSession: 'distinct', sessionsAveraged: 'all', topShades: 10, decimals: 4 },
    },
  });
  const { system, user } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const { limited, opened, overQuota } = all.shoppers;
  const sessions = opened + limited + overQuota;
  process.stdout.write(
    `${limiter.padEnd(16)}${sessions} sessions (${limited} refused) in ${seconds.toFixed(1)} s of CPU: ` +
      `${Math.round(sessions / seconds)} a second; ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB at most so far\n`,
  );
}
