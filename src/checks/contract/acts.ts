import { counted, number, times, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { type CheckResult, type Evidence, evidence, type Verdict } from '../verdict.ts';
import { type ActSession, type ProbedAct, readActSessions } from './act-sessions.ts';

/**
 * What becomes of acts in the full interaction history that GET /sessions/{id} promises. Nothing where probes did not
 * act: there was no channel, or, for all but the first, no promise.
 */
export async function checkActs(history: History): Promise<CheckResult[]> {
  const sessions = await readActSessions(history);
  const probed = (probe: string): boolean =>
    sessions.some(({ acts }) => acts.some((act) => act.probe === probe));
  return [
    ...(probed('acts:at-once') ? [checkAtOnce(sessions)] : []),
    ...(probed('acts:again') ? [checkAgain(sessions)] : []),
    ...refusable.flatMap((each) => (probed(each.probe) ? [checkRefused(sessions, each)] : [])),
  ];
}

/** An act of a session, and how often its history shows it. */
interface Shown {
  readonly session: ActSession;
  readonly act: ProbedAct;
  readonly times: number | undefined;
}

/** Acts that were acknowledged are in the history, however many were on their way at the same moment. */
function checkAtOnce(sessions: readonly ActSession[]): CheckResult {
  const acknowledged = shownActs(sessions, 'acts:at-once').filter(({ act }) => isAccepted(act));
  const together = acknowledged.filter(({ act, session }) => overlaps(act, session));
  const legible = together.filter(({ times }) => times !== undefined);
  const lost = legible.filter(({ times }) => times === 0);
  const verdict: Verdict = lost.length > 0 ? 'fail' : legible.length === 0 ? 'inconclusive' : 'pass';
  const of = `${counted(legible.length, 'act')} that were acknowledged and arrived at the same time in ${counted(new Set(legible.map(({ session }) => session.id)).size, 'session')}`;
  return {
    id: 'contract.acts-at-once',
    title: 'Events that arrive at the same time are all stored',
    verdict,
    expected: { acknowledged: together.length, lost: 0 },
    observed: { acknowledged: together.length, 'looked for': legible.length, lost: lost.length },
    explanation:
      verdict === 'fail'
        ? `Of ${of}, ${number(lost.length)} ${verb(lost.length, 'is', 'are')} not in the history that was read back.`
        : together.length === 0
          ? 'No acts were acknowledged that had been under way at the same time in a session.'
          : verdict === 'inconclusive'
            ? unreadable(together)
            : `The histories that were read back show every one of ${of}.`,
    evidence: evidenceOf(lost, 'acknowledged, and not in the history', together, 'sent at the same time'),
    ...(verdict === 'fail' && caused(lostCauses(lost, legible))),
  };
}

/** One of those that overwrite each other stays: where none is there, it may be for another reason. */
function lostCauses(lost: readonly Shown[], legible: readonly Shown[]): Suspect[] {
  const interactions = lost.length;
  const seqs = seqsOf(lost);
  return lost.length < legible.length
    ? [shown('concurrent-interactions-lost', { interactions }, seqs)]
    : [
        fits('concurrent-interactions-lost', { interactions }, seqs),
        fits('interactions-lost', { interactions }, seqs),
      ];
}

/** The requests of acts, and the last read of the first one's session. */
function seqsOf(acts: readonly Shown[]): number[] {
  const carried = [...new Set(acts.map(({ act }) => act.seq))].slice(0, 3);
  return [...carried, ...acts.slice(0, 1).flatMap(({ session }) => session.readSeq ?? [])];
}

/** An act that is sent again with its id is the same act. */
function checkAgain(sessions: readonly ActSession[]): CheckResult {
  const again = shownActs(sessions, 'acts:again');
  const answered = again.filter(({ act }) => act.status !== null && act.status < 500 && act.status !== 429);
  const legible = answered.filter(({ times }) => times !== undefined && times > 0);
  const doubled = again.filter(({ times = 0 }) => times > 1);
  const verdict: Verdict = doubled.length > 0 ? 'fail' : legible.length === 0 ? 'inconclusive' : 'pass';
  const ids = (acts: readonly Shown[]): number => new Set(acts.map(({ act }) => act.id)).size;
  const most = Math.max(0, ...doubled.map(({ times = 0 }) => times));
  return {
    id: 'contract.acts-again',
    title: 'An event that is sent again with its id counts once',
    verdict,
    expected: { 'in the history': 1 },
    observed: { 'sent again': ids(again), 'found more than once': ids(doubled) },
    explanation:
      verdict === 'fail'
        ? `${number(ids(doubled))} of ${counted(ids(again), 'act')} sent again with the same id ${verb(ids(doubled), 'stands', 'stand')} in the history up to ${times(most)}.`
        : answered.length === 0
          ? 'No act that was sent again was answered.'
          : verdict === 'inconclusive'
            ? unreadable(answered)
            : `${counted(ids(legible), 'act')} sent again with the same id ${verb(ids(legible), 'stands', 'stand')} in the history once.`,
    evidence: evidenceOf(doubled, 'sent again, and counted again', again, 'sent again'),
    ...(verdict === 'fail' &&
      caused([shown('repeated-interaction-stored', { repeated: surplusOf(doubled) }, seqsOf(doubled))])),
  };
}

/** Entries beyond the first of each act. */
function surplusOf(doubled: readonly Shown[]): number {
  const byId = new Map(doubled.map(({ act, times: count = 1 }) => [act.id, count]));
  return [...byId.values()].reduce((sum, count) => sum + count - 1, 0);
}

interface Refusable extends Pick<CheckResult, 'id' | 'title'> {
  readonly probe: string;
  /** Completes "An act …". */
  readonly words: string;
  readonly accepted: 'unknown-sku-accepted' | 'foreign-token-accepted';
}

/** Acts that are promised to be refused, or at least to count for nothing. */
const refusable: readonly Refusable[] = [
  {
    probe: 'acts:unknown-sku',
    id: 'contract.acts-unknown-sku',
    title: 'An event on a SKU that is in no catalog is not stored',
    words: 'on a SKU that is in no catalog',
    accepted: 'unknown-sku-accepted',
  },
  {
    probe: 'acts:other-token',
    id: 'contract.acts-other-token',
    title: 'An event with the token of another session is not stored',
    words: 'with the token of another session',
    accepted: 'foreign-token-accepted',
  },
];

function checkRefused(
  sessions: readonly ActSession[],
  { accepted, id, probe, title, words }: Refusable,
): CheckResult {
  const strange = shownActs(sessions, probe);
  const counts = strange.filter(({ times = 0 }) => times > 0);
  const refused = strange.filter(
    ({ act }) => act.status !== null && act.status >= 400 && act.status <= 499 && act.status !== 429,
  );
  const dropped = strange.filter(({ act, times }) => isAccepted(act) && times === 0);
  const verdict: Verdict =
    counts.length > 0 ? 'fail' : refused.length + dropped.length === 0 ? 'inconclusive' : 'pass';
  const statuses = [...new Set(strange.map(({ act }) => act.status ?? 'no answer'))].join(', ');
  return {
    id,
    title,
    verdict,
    expected: 'a refusal, or nothing of it in the history',
    observed: { answered: statuses, 'in the history': counts.length },
    explanation:
      verdict === 'fail'
        ? `An act ${words} was answered with ${statuses}, and it stands in the history of its session.`
        : verdict === 'inconclusive'
          ? `An act ${words} was answered with ${statuses}, and the history of its session does not show what became of it.`
          : refused.length > 0
            ? `An act ${words} was refused with ${statuses}.`
            : `An act ${words} was answered with ${statuses}, and is not in the history of its session.`,
    evidence: evidenceOf(counts, `${words}, and counted`, strange, words),
    ...(verdict === 'fail' && caused(countedCauses(counts, accepted))),
  };
}

function countedCauses(counts: readonly Shown[], code: Refusable['accepted']): Suspect[] {
  const accepted = counts.find(({ act }) => isAccepted(act));
  if (accepted?.act.status !== undefined && accepted.act.status !== null)
    return [shown(code, { status: accepted.act.status }, seqsOf([accepted]))];
  const statuses = [...new Set(counts.flatMap(({ act }) => act.status ?? []))];
  return statuses.length === 0
    ? []
    : [shown('refused-interaction-stored', { interactions: counts.length, statuses }, seqsOf(counts))];
}

function shownActs(sessions: readonly ActSession[], probe: string): Shown[] {
  return sessions.flatMap((session) =>
    session.acts
      .filter((act) => act.probe === probe)
      .map((act) => ({ session, act, times: session.shown(act) })),
  );
}

/** Whether another batch of the session was under way while this one was. */
function overlaps(act: ProbedAct, { acts }: ActSession): boolean {
  return acts.some(
    (other) => other.seq !== act.seq && other.sent_ns < act.answered_ns && act.sent_ns < other.answered_ns,
  );
}

function isAccepted({ status }: ProbedAct): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function unreadable(acts: readonly Shown[]): string {
  return acts.some(({ session }) => session.readSeq !== undefined)
    ? 'The histories of their sessions do not show acts in a way that can be read (profile: session_history).'
    : 'Their sessions were not read back.';
}

/** What is wrong first, if anything is, and otherwise what was sent; then the reads that show it. */
function evidenceOf(
  wrong: readonly Shown[],
  wrongWords: string,
  all: readonly Shown[],
  words: string,
): Evidence[] {
  const shown = wrong.length > 0 ? wrong : all;
  const seqs = [...new Set(shown.map(({ act }) => act.seq))];
  const reads = [...new Set(shown.flatMap(({ session }) => session.readSeq ?? []))];
  return [
    ...(seqs.length === 0 ? [] : [evidence(wrong.length > 0 ? wrongWords : words, seqs)]),
    ...(reads.length === 0 ? [] : [evidence('the history as it was read back', reads)]),
  ];
}
