import { build } from 'hdr-histogram-js';
import type { CapacityStep } from '../../../history/record.ts';
import type { CapacitySlo, StepFigures } from '../../../limits/capacity/step.ts';
import { type CannonTarget, cannonade } from '../../load/closed-loop.ts';
import type { RunUnderWay } from '../../load/load.ts';
import type { LiveStatistics } from '../../record/statistics.ts';
import { rounded, StepWatch, warmUpShare } from './timing.ts';

interface ClosedStepContext extends CannonTarget, Pick<RunUnderWay, 'clock' | 'noteEnd'> {
  readonly slo: CapacitySlo;
  readonly traffic: 'sessions' | 'reads';
  readonly statistics: Pick<LiveStatistics, 'noteClosed'>;
}

/** What the record of a step takes over as it stands. */
type ClosedStepRecord = Pick<
  Extract<CapacityStep, { readonly model: 'closed' }>,
  | 'startNs'
  | 'countedFromNs'
  | 'endNs'
  | 'statuses'
  | 'errors'
  | 'noSocket'
  | 'perSecond'
  | 'latencyMs'
  | 'busyShare'
  | 'self'
>;

interface ClosedStepResult extends ClosedStepRecord {
  readonly figures: Omit<StepFigures, 'late'>;
  readonly sent: number;
}

/** How exactly a step keeps its time. */
const tickMs = 100;
/**
 * One step of a closed loop, always to its end: it cannot drown a target, and its throughput is wanted in any case. Its
 * latencies are service times: a closed loop has no intended instants.
 */
export async function driveClosedStep(
  connections: number,
  durationMs: number,
  most: number,
  context: ClosedStepContext,
): Promise<ClosedStepResult> {
  const { clock, slo } = context;
  const watch = new StepWatch();
  const tookUs = build({ numberOfSignificantValueDigits: 3 });
  const statuses: Record<string, number> = {};
  const counts = { judged: 0, over: 0, failed: 0, refused: 0 };
  let errors = 0;
  let noSocket = 0;
  let ended: StepFigures['ended'] = 'whole';
  const startNs = clock.nowNs();
  let countedFromNs = startNs + warmUpShare * durationMs * 1e6;
  // A fast target may spend a step's requests sooner than its time: then it is that share of them that warms up.
  let warmUpLeft = Math.floor(warmUpShare * most);
  let isWarm = false;
  let lastNs = countedFromNs;
  const judge = (isFailed: boolean, isOver: boolean): void => {
    const nowNs = clock.nowNs();
    if (!isWarm) {
      if (nowNs < countedFromNs && warmUpLeft-- > 0) return;
      isWarm = true;
      countedFromNs = Math.min(countedFromNs, nowNs);
      watch.restart();
    }
    lastNs = nowNs;
    counts.judged++;
    if (isFailed) counts.failed++;
    if (isOver) counts.over++;
  };
  const result = await cannonade({
    ...context,
    connections,
    durationMs,
    most,
    tickMs,
    isStopped: () => {
      if (context.isStopped()) ended = 'stopped';
      return ended !== 'whole';
    },
    onAnswer: (status, tookMs) => {
      context.noteEnd(clock.nowNs(), status >= 500);
      context.statistics.noteClosed(status, tookMs);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 429 || status === 402) {
        counts.refused++;
        ended = 'refused';
        return;
      }
      judge(status < 200 || status > 299, tookMs > slo.maxMs);
      if (isWarm) tookUs.recordValue(Math.round(tookMs * 1e3));
    },
    onError: () => {
      context.noteEnd(clock.nowNs(), true);
      context.statistics.noteClosed(undefined, 0);
      errors++;
      judge(true, true);
    },
    onNoSocket: () => {
      noSocket++;
      counts.judged++;
      counts.over++;
    },
  });
  const { busyShare, self } = watch.end();
  const atPercentile = (percentile: number): number => rounded(tookUs.getValueAtPercentile(percentile) / 1e3);
  const seconds = (lastNs - countedFromNs) / 1e9;
  return {
    figures: { ...counts, planned: counts.judged, ended },
    sent: result.requests.sent,
    startNs,
    countedFromNs,
    endNs: clock.nowNs(),
    statuses,
    errors,
    ...(noSocket === 0 ? {} : { noSocket }),
    perSecond: seconds > 0 ? rounded((counts.judged - errors - noSocket) / seconds) : 0,
    latencyMs: {
      p50: atPercentile(50),
      p99: atPercentile(99),
      max: rounded(tookUs.maxValue / 1e3),
      promised: atPercentile(slo.percentile),
    },
    busyShare,
    self,
  };
}
