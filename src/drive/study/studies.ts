import { randomStream } from '../../random.ts';
import type { Study } from '../../scenario/study.ts';
import { openQuestions, type PoolSettings, TargetClient } from '../../target/client.ts';
import { isLoopback } from '../../target/guard.ts';
import { interactionsCount } from '../../target/profile.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { AskingStopped } from '../ask/ask.ts';
import { plainSession } from '../ask/sample.ts';
import { epochMs } from '../clock/clock.ts';
import type { Days } from '../clock/days.ts';
import type { RunUnderWay } from '../load/load.ts';
import type { Discovered } from '../setup/setup.ts';
import { auditAnalytics } from './audit/audit.ts';
import { studyCapacity } from './capacity/capacity.ts';
import { costOf } from './cost.ts';
import { inferAside } from './limits/infer-aside.ts';
import { studyLimiter } from './limits/limits.ts';
import { requestsOfLimitsStudy } from './limits/requests.ts';
import { scopeTries } from './limits/scope-tries.ts';
import { studyQuota } from './quota/quota.ts';
import { aboutItsCall, Prober, type ProberOptions } from './sending/prober.ts';
import type { Seen } from './sending/seen.ts';

type UsedByProber =
  | ('client' | 'clock' | 'governors' | 'keys' | 'ledger' | 'loadCap')
  | ('mayGoOn' | 'noteEnd' | 'profile' | 'progress' | 'recorder' | 'sample');

/** What requests of a study need of a run. */
export type ProberRun = Pick<RunUnderWay, UsedByProber>;

/** A run with studies, after its set-up. */
type StudyRun = RunUnderWay & Discovered & { readonly days: Days; readonly seen: Seen };

/** Another address of every machine, if the target is on it too. */
const otherLoopbackAddress = '127.0.0.2';
/** A study that takes this many times its announced time is ended. */
const overTime = 1.5;

/** Runs a scenario's studies, one after another. Throws `AskingStopped` once the run is being ended. */
export async function runStudies(run: StudyRun): Promise<void> {
  const { baseUrl, client, clock, learned, profile } = run;
  if (run.scenario.study.length === 0) return;
  const open = (settings: PoolSettings): TargetClient =>
    new TargetClient(baseUrl, openQuestions(baseUrl, profile, settings), clock.nowNs, client.translation);
  const { hostname } = baseUrl;
  const elsewhere =
    isLoopback(hostname) && !hostname.includes(':')
      ? open({ localAddress: otherLoopbackAddress, ...learned })
      : undefined;
  const prober = proberOf(run, { elsewhere, openClient: () => open(learned) });
  try {
    for (const study of run.scenario.study) {
      // Only the study of the limiter uses all of its budget.
      const longestMs = study.kind === 'limits' ? study.budgetMs : overTime * costOf(study, profile).ms;
      prober.deadlineNs = clock.nowNs() + longestMs * 1e6;
      await runStudy(study, prober, run, elsewhere !== undefined).catch((error: unknown) => {
        // This study's time is up: its results are in the history, and the next study has a separate budget.
        if (!(error instanceof AskingStopped) || !run.mayGoOn()) throw error;
      });
    }
  } finally {
    await elsewhere?.destroy();
  }
}

/** Sends requests of a study, within the caps of the run and of what the target bears. */
export function proberOf(run: ProberRun, clients: Pick<ProberOptions, 'elsewhere' | 'openClient'>): Prober {
  const { ledger, loadCap, mayGoOn, noteEnd, profile, progress } = run;
  const prober: Prober = new Prober({
    ...run,
    ...clients,
    assertGoingOn: () => {
      progress.studying = prober.inFlight;
      if (!mayGoOn()) throw new AskingStopped();
    },
    inFlightBound: profile.in_flight,
    mostSessions: loadCap.sessions - ledger.sessionsSent,
    noteEnd: (atNs, failed) => {
      progress.studying = prober.inFlight;
      noteEnd(atNs, failed);
    },
  });
  return prober;
}

async function runStudy(study: Study, prober: Prober, run: StudyRun, hasElsewhere: boolean): Promise<void> {
  const { catalogs, clock, profile, progress } = run;
  const onStep = (step: string, alive: readonly string[] = []): void => {
    progress.activity = { kind: 'study', step, alive };
  };
  switch (study.kind) {
    case 'quota': {
      if (run.keys.quota === undefined) return;
      const opened = (role: Role): number => run.sample.countOf(role);
      return studyQuota({ ...run, prober, opened, cap: study.cap, race: study.race, onStep });
    }
    case 'audit': {
      const isSetUp = run.roles.length > 0;
      return auditAnalytics({ ...run, study, catalog: catalogs.load, isSetUp, onStep });
    }
    case 'capacity':
      return studyCapacity(study, run);
    case 'limits': {
      // To read from, and to send events in.
      const opening = aboutItsCall(plainSession(catalogs.load), {
        credential: 'load',
        phase: studyPhases.scope,
      });
      const { reading } = await prober.send(opening);
      return studyLimiter({
        ...run,
        prober,
        onStep,
        infer: inferAside,
        random: randomStream(run.seed, 'study of limits'),
        promised: profile.rate_limit,
        clockSkewMs: profile.clock_skew_bound,
        otherKeysPerSecond: study.otherKeysPerSecond,
        tries: scopeTries({
          ...run,
          catalog: catalogs.load,
          otherCatalog: catalogs.bystander,
          session: reading.grant,
          nowEpochMs: () => epochMs(clock, clock.nowNs()),
          hasElsewhere,
        }),
        interactionsCount: interactionsCount(profile.channel),
        deadlineNs: prober.deadlineNs,
        mostRequests: requestsOfLimitsStudy(study.budgetMs, profile.rate_limit),
      });
    }
  }
}
