import { existsSync, statfsSync } from 'node:fs';
import { counted, number, range, seconds } from '../../amounts.ts';
import { keysWanted } from '../../checks/core/unanswered.ts';
import { budgetOf, mostOf } from '../../drive/budget.ts';
import { type ExitCode, exitCode, TryonError } from '../../exit.ts';
import { mostSlotsWithin } from '../../plan/lanes.ts';
import { visible, wrap } from '../../report/text.ts';
import { movesClock } from '../../scenario/calendar.ts';
import type { Scenario } from '../../scenario/define.ts';
import { loadScenario, shippedNames } from '../../scenario/files.ts';
import { placeText, readKey, readKeys } from '../../target/keys.ts';
import { type Profile, profileSchema } from '../../target/profile.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { DoctorArguments } from '../options.ts';
import { durationInWords } from '../run/announce.ts';
import { openForeign, profileLayers, type Target } from '../run/open-target.ts';
import { prepare } from '../run/prepare.ts';
import { environment } from '../shell.ts';
import { type Look, lookAt, requestsOfLook } from './look.ts';
import { bad, type Finding, good, ownSockets, part, socketFindings } from './own-sockets.ts';

const marks = { good: '✓', part: '?', bad: '✗' } as const;

/** Bytes of a run's folder for each request, and for its report. */
const bytesPerRequest = 400;
const bytesOfReport = 5e6;

/**
 * Prints what a run of the scenario, or of each, would lack. Returns the exit code: that of wrong usage if one of them
 * is impossible. Throws usage errors.
 */
export async function examine(args: DoctorArguments): Promise<ExitCode> {
  const env = environment(args['env-file']);
  const { base_url: baseUrl, keys: places = {} } = profileLayers(args, env).input;
  const names = args.scenario === undefined ? await shippedNames() : [args.scenario];
  const scenarios = await Promise.all(names.map(async (name) => (await loadScenario(name)).scenario));
  const connectionsOf = (profile: Pick<Profile, 'connections'>): number =>
    Math.max(profile.connections, ...scenarios.map(mostClosed));
  if (baseUrl === undefined) {
    // Nothing is known of the load yet, and the embedded service keeps connections.
    const machine = [
      ...machineFindings(0),
      ...socketFindings({
        connections: connectionsOf(profileSchema.parse({})),
        perMinute: 0,
        closes: false,
        ...ownSockets(),
      }),
    ];
    show('This machine', machine);
    process.stdout.write(
      'No target: a run uses the embedded service, which lacks nothing for any scenario.\n',
    );
    return exitFor(machine);
  }
  const unset = roles.flatMap((role) => {
    const place = places[role];
    // Without the load key there is nothing to look at: reading it says what is wrong.
    const isUnset = role !== 'load' && place !== undefined && readKey(place, env) === undefined;
    return isUnset ? [{ role, place }] : [];
  });
  const target = openForeign(args, env, (given) =>
    readKeys(
      Object.fromEntries(Object.entries(given).filter(([role]) => !unset.some((each) => each.role === role))),
      env,
    ),
  );
  process.stdout.write(
    `Reading analytics of ${target.baseUrl.href}: up to ${counted(requestsOfLook(target.keys), 'request')}.\n`,
  );
  const look = await lookAt(target.baseUrl, target.profile, target.keys);
  const seen = [
    ...targetFindings(target, look),
    ...unset.map(({ place, role }) => bad(`Key ${role}: ${placeText(place)} is not set or empty.`)),
  ];
  const judged = scenarios.map((scenario) => ({ scenario, ...scenarioFindings(scenario, target) }));
  const machine = [
    ...machineFindings(Math.max(...judged.map(({ requests }) => requests))),
    ...socketFindings({
      connections: connectionsOf(target.profile),
      perMinute: Math.max(...judged.map(({ perMinute }) => perMinute)),
      closes: [look.withoutKey, ...look.withKey.values()].some(({ closes }) => closes),
      ...ownSockets(),
    }),
  ];
  show('This machine', machine);
  show(`Target ${target.baseUrl.href}`, seen);
  for (const { findings, scenario } of judged) show(`Scenario ${scenario.name}`, findings);
  // Of all scenarios some are impossible on most targets; the one that was asked for should not be.
  const asked = args.scenario === undefined ? [] : judged.flatMap(({ findings }) => findings);
  return exitFor([...machine, ...seen, ...asked]);
}

/** Connections that a closed loop of the scenario opens; not bounded by the profile. */
function mostClosed({ study }: Scenario): number {
  return Math.max(0, ...study.map((each) => (each.kind === 'capacity' ? each.mostConnections : 0)));
}

function exitFor(findings: readonly Finding[]): ExitCode {
  return findings.some(({ state }) => state === 'bad') ? exitCode.usage : exitCode.pass;
}

function show(title: string, findings: readonly Finding[]): void {
  const columns = Math.max(40, Math.min(100, process.stdout.columns ?? 80));
  const lines = findings.flatMap(({ state, text }) =>
    wrap(visible(text), columns - 4).map((line, at) => `  ${at === 0 ? marks[state] : ' '} ${line}`),
  );
  process.stdout.write(`${[title, ...lines].join('\n')}\n`);
}

function machineFindings(requests: number): Finding[] {
  const { bavail, bsize } = statfsSync(existsSync('reports') ? 'reports' : '.');
  const free = bavail * bsize;
  const needed = requests * bytesPerRequest + bytesOfReport;
  const disk = `Disk space: ${free >= 1e9 ? `${number(Math.floor(free / 1e9))} GB` : `${number(Math.floor(free / 1e6))} MB`} free; a run writes at most about ${number(Math.ceil(needed / 1e6))} MB.`;
  // An older Node.js does not get this far: the launcher looks for one that can run this program.
  return [good(`Node.js ${process.versions.node}.`), free > 2 * needed ? good(disk) : bad(disk)];
}

function targetFindings({ keys, profile }: Target, { dateFormat, withKey, withoutKey }: Look): Finding[] {
  if (withoutKey.status === undefined) return [bad(`No answer: ${withoutKey.problem ?? 'no reason given'}.`)];
  const answers = [...withKey].map(([role, { problem, status }]): Finding => {
    const name = `Key ${role} (${keys[role]?.from ?? ''})`;
    if (status === 200) return good(`${name} is accepted.`);
    if (status === 429) return part(`${name} is at its rate limit. Its user may be someone else.`);
    return bad(`${name}: expected 200, got ${status ?? problem ?? 'no answer'}.`);
  });
  const load = withKey.get('load');
  const ahead = load?.clockAheadMs;
  const isFar =
    ahead !== undefined && (ahead.min > profile.clock_skew_bound || ahead.max < -profile.clock_skew_bound);
  const away = ahead === undefined ? '' : range({ min: Math.round(ahead.min), max: Math.round(ahead.max) });
  return [
    withoutKey.status === 401
      ? good('A request without a key gets 401.')
      : part(`A request without a key: expected 401, got ${withoutKey.status}.`),
    ...answers,
    ...(load?.status !== 200 || dateFormat !== undefined ? [] : [bad('It takes dates in no known format.')]),
    ahead === undefined
      ? part('It sends no Date header, so its clock is unknown.')
      : (isFar ? part : good)(`Its clock is ahead by ${away} ms.`),
    ...(load?.limits ?? []).map((line) => good(`It sends ${line}`)),
  ];
}

/** What a run of the scenario would lack with these keys and this profile. It sends nothing. */
function scenarioFindings(
  scenario: Scenario,
  target: Target,
): { readonly findings: Finding[]; readonly requests: number; readonly perMinute: number } {
  if (movesClock(scenario.load) && target.profile.clock === undefined)
    return {
      findings: [bad('It moves the clock of the target: the profile has to say how (clock).')],
      requests: 0,
      perMinute: 0,
    };
  try {
    const prepared = prepare(scenario, target, { seed: 0, tag: 'doctor' });
    const budget = budgetOf(prepared, scenario, target.profile);
    const requests = mostOf(budget, 'requests');
    const { requests: limit, windowMs } = target.profile.rate_limit;
    const perMinute = Math.max(
      Math.round(requests / Math.max(1, (budget.aroundMs + budget.studyMs) / 60_000)),
      ...prepared.plan.phases.map(({ phase }) => mostSlotsWithin(phase.segments, 60_000)),
      ...scenario.study.map((study) => (study.kind === 'capacity' ? study.mostPerSecond * 60 : 0)),
    );
    const over = prepared.plan.phases
      .map(({ phase }) => ({ name: phase.name, most: mostSlotsWithin(phase.segments, windowMs) }))
      .filter(({ most }) => most > limit);
    const sessions = mostOf(budget, 'sessions');
    return {
      findings: [
        good(
          `Takes ${durationInWords(budget)}, up to ${counted(requests, 'request')} and ${counted(sessions, 'new session')}.`,
        ),
        ...over.map(({ most, name }) =>
          good(
            `Its phase “${name}” sends up to ${counted(most, 'request')} per ${seconds(windowMs)}, above the limit of ${number(limit)}.`,
          ),
        ),
        ...keyFindings(scenario, target, { quotaAttempts: prepared.quotaAttempts, isOver: over.length > 0 }),
        ...promiseFindings(scenario, target),
      ],
      ...{ requests, perMinute },
    };
  } catch (error) {
    if (error instanceof TryonError) return { findings: [bad(error.message)], requests: 0, perMinute: 0 };
    throw error;
  }
}

function keyFindings(
  scenario: Scenario,
  { keys }: Target,
  { isOver, quotaAttempts }: { readonly quotaAttempts: number; readonly isOver: boolean },
): Finding[] {
  const run = {
    catalogs: [{ id: '', role: 'load' as const, shades: 0 }],
    checks: scenario.checks,
    keys: Object.fromEntries(
      roles.flatMap((role) => (keys[role] === undefined ? [] : [[role, { from: '', fingerprint: '' }]])),
    ),
    quota_attempts: quotaAttempts,
    studies: scenario.study.map(({ kind }) => ({ kind, budget_ms: 0 })),
  };
  const unjudged = isOver ? [{ id: 'rate-limit.isolation', verdict: 'inconclusive' } as const] : [];
  const wanted = Map.groupBy(keysWanted(run, unjudged), ({ role }) => role);
  return [...wanted].map(([role, checks]) =>
    part(
      `No key ${role} (--key ${role}=ENV_VAR): not judged in full: ${checks.map(({ what }) => what).join(', ')}.`,
    ),
  );
}

function promiseFindings({ checks, study }: Scenario, { keys, profile, pool }: Target): Finding[] {
  const spendsQuota = checks.includes('quota') && keys.quota !== undefined;
  const isOpen = (value: unknown): boolean => value === 'discover';
  const none: Finding[] = [];
  return none.concat(
    spendsQuota && profile.quota.sessions === undefined
      ? part('The size of the quota is not known (--quota): the run finds it out if it is small enough.')
      : [],
    spendsQuota && !profile.quota.fresh
      ? part(
          'The account of the quota key may have sessions already: an early 402 is then inconclusive (quota.fresh).',
        )
      : [],
    checks.includes('analytics') && profile.channel === 'none'
      ? part('Shoppers cannot send events (channel: none): shades and cart intent are not judged.')
      : [],
    checks.includes('analytics') && isOpen(profile.channel)
      ? good('The interaction channel is discovered.')
      : [],
    study.some(({ kind }) => kind === 'capacity') && pool.length === 0
      ? part('No pool of keys: the rate limit of one key bounds the measured capacity.')
      : [],
  );
}
