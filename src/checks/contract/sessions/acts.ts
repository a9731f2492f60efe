import type { History } from '../../../history/history.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import {
  type CheckFinding,
  type Evidence,
  evidence,
  evidenceIfAny,
  type Verdict,
} from '../../core/verdict.ts';
import type { WrongEvent } from '../../reasons/contract/acts.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type EventSession, type ProbedEvent, readEventSessions } from './act-sessions.ts';

/**
 * Whether events are in the full interaction history that GET /sessions/{id} promises. No finding where probes sent no
 * events: there was no channel, or, for all but the first, no promise.
 */
export async function checkEvents(history: History): Promise<CheckFinding[]> {
  const sessions = await readEventSessions(history);
  const probed = (probe: Probe): boolean =>
    sessions.some(({ events }) => events.some((event) => event.probe === probe));
  return [
    ...(probed('acts:at-once') ? [checkAtOnce(sessions)] : []),
    ...(probed('acts:again') ? [checkAgain(sessions)] : []),
    ...rejectable.flatMap((each) => (probed(`acts:${each.sent}`) ? [checkRejected(sessions, each)] : [])),
  ];
}

/** An event of a session, and how often its history shows it. */
interface ShownEvent {
  readonly session: EventSession;
  readonly event: ProbedEvent;
  readonly times: number | undefined;
}

/** Acknowledged events are in the history, also when several arrive at the same time. */
function checkAtOnce(sessions: readonly EventSession[]): CheckFinding {
  const acknowledged = shownEvents(sessions, 'acts:at-once').filter(({ event }) => isAccepted(event));
  const together = acknowledged.filter(({ event, session }) => overlaps(event, session));
  const legible = together.filter(({ times }) => times !== undefined);
  const lost = legible.filter(({ times }) => times === 0);
  const verdict: Verdict = lost.length > 0 ? 'fail' : legible.length === 0 ? 'inconclusive' : 'pass';
  const looked = {
    events: legible.length,
    sessions: new Set(legible.map(({ session }) => session.id)).size,
  };
  return {
    id: 'contract.acts-at-once',
    verdict,
    expected: { acknowledged: together.length, lost: 0 },
    observed: { acknowledged: together.length, 'looked for': legible.length, lost: lost.length },
    reasons: [
      verdict === 'fail'
        ? reason('acts-at-once-lost', { ...looked, lost: lost.length })
        : together.length === 0
          ? reason('acts-at-once-none')
          : verdict === 'inconclusive'
            ? unreadable(together)
            : reason('acts-at-once-stored', looked),
    ],
    evidence: evidenceOf(lost, 'acknowledged, and not in the history', together, 'sent at the same time'),
    ...(verdict === 'fail' && caused(lostCauses(lost, legible))),
  };
}

/** Of events that overwrite each other one stays: where none is there, something else may be the cause. */
function lostCauses(lost: readonly ShownEvent[], legible: readonly ShownEvent[]): Suspect[] {
  const interactions = lost.length;
  const seqs = seqsOf(lost);
  return lost.length < legible.length
    ? [shown('concurrent-interactions-lost', { interactions }, seqs)]
    : [
        fits('concurrent-interactions-lost', { interactions }, seqs),
        fits('interactions-lost', { interactions }, seqs),
      ];
}

/** The requests of events, and the last read of the first one's session. */
function seqsOf(events: readonly ShownEvent[]): number[] {
  const carried = [...new Set(events.map(({ event }) => event.seq))].slice(0, 3);
  return [...carried, ...events.slice(0, 1).flatMap(({ session }) => session.readSeq ?? [])];
}

/** An event that is sent again with its id is the same event. */
function checkAgain(sessions: readonly EventSession[]): CheckFinding {
  const again = shownEvents(sessions, 'acts:again');
  const answered = again.filter(
    ({ event }) => event.status !== null && event.status < 500 && event.status !== 429,
  );
  const legible = answered.filter(({ times }) => times !== undefined && times > 0);
  const doubled = again.filter(({ times = 0 }) => times > 1);
  const verdict: Verdict = doubled.length > 0 ? 'fail' : legible.length === 0 ? 'inconclusive' : 'pass';
  const ids = (events: readonly ShownEvent[]): number => new Set(events.map(({ event }) => event.id)).size;
  const most = Math.max(0, ...doubled.map(({ times = 0 }) => times));
  return {
    id: 'contract.acts-again',
    verdict,
    expected: { 'in the history': 1 },
    observed: { 'sent again': ids(again), 'found more than once': ids(doubled) },
    reasons: [
      verdict === 'fail'
        ? reason('acts-again-repeated', { events: ids(again), repeated: ids(doubled), most })
        : answered.length === 0
          ? reason('acts-again-unanswered')
          : verdict === 'inconclusive'
            ? unreadable(answered)
            : reason('acts-again-once', { events: ids(legible) }),
    ],
    evidence: evidenceOf(doubled, 'sent again, and counted again', again, 'sent again'),
    ...(verdict === 'fail' &&
      caused([shown('repeated-interaction-stored', { repeated: surplusOf(doubled) }, seqsOf(doubled))])),
  };
}

/** Entries beyond the first of each event. */
function surplusOf(doubled: readonly ShownEvent[]): number {
  const byId = new Map(doubled.map(({ event, times: count = 1 }) => [event.id, count]));
  return [...byId.values()].reduce((sum, count) => sum + count - 1, 0);
}

interface Rejectable {
  readonly id: 'contract.acts-unknown-sku' | 'contract.acts-other-token' | 'contract.acts-altered-token';
  readonly sent: WrongEvent;
  /** For the evidence. */
  readonly words: string;
  readonly accepted: 'unknown-sku-accepted' | 'foreign-token-accepted' | 'altered-token-accepted';
}

/** Events that must be rejected, or at least not be stored. */
const rejectable: readonly Rejectable[] = [
  {
    sent: 'unknown-sku',
    id: 'contract.acts-unknown-sku',
    words: 'on a SKU outside the catalog of the session',
    accepted: 'unknown-sku-accepted',
  },
  {
    sent: 'other-token',
    id: 'contract.acts-other-token',
    words: 'with the token of another session',
    accepted: 'foreign-token-accepted',
  },
  {
    sent: 'altered-token',
    id: 'contract.acts-altered-token',
    words: 'with an altered token',
    accepted: 'altered-token-accepted',
  },
];

function checkRejected(
  sessions: readonly EventSession[],
  { accepted, id, sent, words }: Rejectable,
): CheckFinding {
  const strange = shownEvents(sessions, `acts:${sent}`);
  const counts = strange.filter(({ times = 0 }) => times > 0);
  const rejected = strange.filter(
    ({ event }) =>
      event.status !== null && event.status >= 400 && event.status <= 499 && event.status !== 429,
  );
  const dropped = strange.filter(({ event, times }) => isAccepted(event) && times === 0);
  const verdict: Verdict =
    counts.length > 0 ? 'fail' : rejected.length + dropped.length === 0 ? 'inconclusive' : 'pass';
  const statuses = [...new Set(strange.map(({ event }) => event.status))];
  return {
    id,
    verdict,
    expected: expects('contract.acts-not-stored'),
    observed: {
      answered: statuses.map((status) => status ?? 'no answer').join(', '),
      'in the history': counts.length,
    },
    reasons: [
      verdict === 'fail'
        ? reason('acts-stored', { sent, statuses })
        : verdict === 'inconclusive'
          ? reason('acts-unclear', { sent, statuses })
          : rejected.length > 0
            ? reason('acts-rejected', { sent, statuses })
            : reason('acts-dropped', { sent, statuses }),
    ],
    evidence: evidenceOf(counts, `${words}, and counted`, strange, words),
    ...(verdict === 'fail' && caused(countedCauses(counts, accepted))),
  };
}

function countedCauses(counts: readonly ShownEvent[], code: Rejectable['accepted']): Suspect[] {
  const accepted = counts.find(({ event }) => isAccepted(event));
  if (accepted?.event.status !== undefined && accepted.event.status !== null)
    return [shown(code, { status: accepted.event.status }, seqsOf([accepted]))];
  const statuses = [...new Set(counts.flatMap(({ event }) => event.status ?? []))];
  return statuses.length === 0
    ? []
    : [shown('refused-interaction-stored', { interactions: counts.length, statuses }, seqsOf(counts))];
}

function shownEvents(sessions: readonly EventSession[], probe: Probe): ShownEvent[] {
  return sessions.flatMap((session) =>
    session.events
      .filter((event) => event.probe === probe)
      .map((event) => ({ session, event, times: session.shown(event) })),
  );
}

/** Whether another request of the session was in flight at the same time. */
function overlaps(event: ProbedEvent, { events }: EventSession): boolean {
  return events.some(
    (other) =>
      other.seq !== event.seq && other.sent_ns < event.answered_ns && event.sent_ns < other.answered_ns,
  );
}

function isAccepted({ status }: ProbedEvent): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function unreadable(events: readonly ShownEvent[]): Reason {
  return events.some(({ session }) => session.readSeq !== undefined)
    ? reason('acts-history-unreadable')
    : reason('acts-history-not-read');
}

/** What is wrong, if anything is, and otherwise what was sent; then the reads that show it. */
function evidenceOf(
  wrong: readonly ShownEvent[],
  wrongWords: string,
  all: readonly ShownEvent[],
  words: string,
): Evidence[] {
  const shown = wrong.length > 0 ? wrong : all;
  const seqs = [...new Set(shown.map(({ event }) => event.seq))];
  const reads = [...new Set(shown.flatMap(({ session }) => session.readSeq ?? []))];
  return [
    ...(seqs.length === 0 ? [] : [evidence(wrong.length > 0 ? wrongWords : words, seqs)]),
    ...evidenceIfAny('the history as it was read back', reads),
  ];
}
