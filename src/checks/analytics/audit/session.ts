import { meanFields } from '../../../vocabulary/analytics.ts';
import { hourMs } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { reason } from '../../reasons/reason.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import {
  type AskedPart,
  anyNumber,
  type Cover,
  compareMean,
  none,
  sessions,
  sumBroken,
} from '../compare/sums.ts';
import type { Report } from '../record/questions.ts';
import { allows, ends, singleDay } from './covers.ts';
import {
  type AskedQuestion,
  type Audit,
  type AuditRead,
  type AuditRecord,
  beforeSession,
} from './questions.ts';

/** The one session of an audit, as far as it is known. */
interface OwnSession {
  readonly created: AuditRecord;
  /** The request with its interactions, if the target took them. */
  readonly acts: AuditRecord | undefined;
  /** Whether more may have been done in it than is known. */
  readonly isClear: boolean;
  /** When the last of it was done. */
  readonly doneNs: number;
}

/** The session that the audit opened is in every number, once. */
export function compareSession(audit: Audit, findings: Comparisons): void {
  const { openings, records } = audit;
  const created = openings.find(({ status }) => isSuccessStatus(status));
  findings.nothing = reason('audit-session-not-created', { status: openings.at(-1)?.status ?? null });
  if (created === undefined) return;
  const tried = records.findLast(({ probe }) => probe === 'audit:acts');
  const acts = isSuccessStatus(tried?.status ?? null) ? tried : undefined;
  const isClear = tried === undefined || (tried.status !== null && tried.status < 500);
  const doneNs = (acts ?? created).answeredNs ?? Number.POSITIVE_INFINITY;
  const session = { created, acts, isClear, doneNs };
  findings.nothing = reason(isClear ? 'audit-session-too-early' : 'audit-session-unclear');
  compareOwn(audit, session, findings);
  compareWhole(audit, session, findings);
  compareDay(audit, session, findings);
  if (acts === undefined && findings.judged > 0) findings.also.push(reason('audit-session-total-only'));
}

/** What the session is in an answer: one of each. */
const one: Report = {
  period: '',
  totalSessions: 1,
  avgShadesPerSession: 1,
  cartIntentRate: 1,
  topShades: [],
};

const partOf = (asked: string, report: Report, ...seqs: readonly number[]): AskedPart => ({
  ...{ asked, first: report, last: report, seqs },
});

const sessionPart = ({ acts, created }: OwnSession): AskedPart =>
  partOf('the new session', one, created.seq, ...(acts ? [acts.seq] : []));

/** The numbers of the session's product, over the longest period that was requested. */
function compareOwn(audit: Audit, session: OwnSession, findings: Comparisons): void {
  const question = audit.questions.find(({ isOwn }) => isOwn);
  const read = lateRead(audit, question, session);
  if (question === undefined || read === undefined || !isCovered(audit, session, question)) {
    findings.skipped++;
    return;
  }
  const { asked } = question;
  const { cartIntentRate: got, topShades, totalSessions } = read.report;
  const own = sessionPart(session);
  const cover: Cover = { whole: partOf(asked, read.report, read.seq), parts: [own], rest: none };
  const seqs = [...own.seqs, read.seq];
  // Redeliveries of one request explain this number.
  if (totalSessions > 1 && totalSessions <= 1 + audit.mostUngranted) {
    const redelivered = reason('audit-session-redelivered', { asked, sessions: totalSessions });
    findings.doubt({ reason: redelivered, seqs });
    return;
  }
  const isLate = question.last?.report.totalSessions === 1;
  const { decimals, freshness: freshnessMs } = audit.profile;
  const missing = reason('audit-session-missing', { asked, freshnessMs, isLate });
  const broken = sumBroken(cover, sessions);
  findings.compared(
    broken && (totalSessions === 0 ? { ...broken, reason: missing } : broken),
    ...miscountCauses(audit, session, question, read),
  );
  if (session.acts === undefined || totalSessions !== 1) return;
  const isPercentage = Math.abs(got / 100 - 1) <= 0.5 * 10 ** -decimals;
  for (const field of meanFields)
    findings.compared(
      compareMean(cover, field, decimals)?.broken,
      ...(field === 'cart_intent_rate' && isPercentage ? [shown('rate-as-percentage', { got })] : []),
    );
  const [first] = topShades;
  const causes =
    first && fits('selections-counted-wrong', { sku: first.sku, counted: first.selections, expected: 1 });
  findings.made(
    !(topShades.length === 1 && first?.selections === 1) && {
      reason: reason('audit-session-shades', { asked, shades: topShades.slice(0, 5) }),
      ...{ seqs, causes: causes === undefined ? [] : [causes] },
    },
  );
}

/** Why the product of one session has another number of them. */
function miscountCauses(
  { profile, questions }: Audit,
  { created, doneNs }: OwnSession,
  question: AskedQuestion,
  read: AuditRead,
): Suspect[] {
  const total = ({ report }: AuditRead): number => report.totalSessions;
  const wrong = fits('sessions-counted-wrong', { counted: total(read), expected: 1 });
  const last = question.last ?? read;
  // What is late stays once it shows, and shows in every question.
  const comesAndGoes = questions.some(({ reads }) =>
    reads.some((each, place) => total(each) < total(reads[place - 1] ?? each)),
  );
  if (total(read) > 0 || comesAndGoes) return [wrong];
  const staleness = (how: typeof shown, { sentNs, seq }: AuditRead): Suspect => {
    const lagMs = Math.max(profile.freshness, (sentNs - doneNs) / 1e6);
    return how('stale-analytics', { lagMs, promisedMs: profile.freshness }, [created.seq, seq]);
  };
  const never = questions.every(({ isOwn, reads }) => !isOwn || reads.every((each) => total(each) === 0));
  if (never) return [staleness(fits, last), wrong];
  return total(last) === 1 ? [staleness(shown, read)] : [wrong];
}

/** The numbers of all products: those of before and of the session. */
function compareWhole(audit: Audit, session: OwnSession, findings: Comparisons): void {
  const { before: asked, question } = beforeSession(audit);
  const before = asked?.report ?? undefined;
  const read = lateRead(audit, question, session);
  const isAlone = audit.profile.exclusive && audit.isSettled;
  const more = (read?.report.totalSessions ?? 0) - (before?.totalSessions ?? 0);
  // Old sessions may be cleared away, as far as anybody knows.
  if (
    !asked ||
    !before ||
    !question ||
    !read ||
    (more < 0 && !isAlone) ||
    !isCovered(audit, session, question)
  ) {
    findings.skipped++;
    return;
  }
  const cover: Cover = {
    whole: partOf(question.asked, read.report, read.seq),
    parts: [partOf(`${question.asked}, before it`, before, asked.seq), sessionPart(session)],
    rest: isAlone ? { min: 0, max: audit.mostUngranted } : anyNumber,
  };
  const figures = { counted: read.report.totalSessions, expected: before.totalSessions + 1 };
  findings.compared(sumBroken(cover, sessions), fits('sessions-counted-wrong', figures));
  if (!isAlone || more !== 1 || session.acts === undefined) return;
  const { decimals, sessions_averaged } = audit.profile;
  const over = sessions_averaged === 'all' ? 'all' : 'with-shades';
  for (const field of meanFields)
    findings.compared(compareMean({ ...cover, rest: none }, field, decimals, over)?.broken);
}

/** The days that it was opened on, `YYYY-MM-DD`, first to last: in a zone, or wherever days may begin. */
function daysOf({ zeroMs }: Audit, { created, doneNs }: OwnSession, zone: string | undefined): string[] {
  // Sweden writes dates as ISO 8601 has them.
  const dayIn = (epochMs: number, timeZone: string): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(epochMs);
  const fromMs = zeroMs.min + (created.sentNs ?? 0) / 1e6;
  const toMs = zeroMs.max + doneNs / 1e6;
  const days =
    zone === undefined
      ? [fromMs - 12 * hourMs, fromMs, toMs + 14 * hourMs].map((each) => dayIn(each, 'UTC'))
      : [dayIn(fromMs, zone), dayIn(toMs, zone)];
  return [...new Set(days)];
}

/** Whether the session is certainly in a period, wherever days begin and however ends are meant. */
function isCovered(audit: Audit, session: OwnSession, { end, start }: AskedQuestion): boolean {
  const days = daysOf(audit, session, undefined);
  return start.slice(0, 10) <= (days[0] ?? '') && (days.at(-1) ?? '') < end.slice(0, 10);
}

/** The first answer to a question, if it has to show the session. */
function lateRead(
  { profile }: Audit,
  question: AskedQuestion | undefined,
  { doneNs, isClear }: OwnSession,
): AuditRead | undefined {
  const first = question?.first;
  return isClear && first !== undefined && first.sentNs >= doneNs + profile.freshness * 1e6
    ? first
    : undefined;
}

/** The day that it is counted on, where one-day periods show exactly one. */
function compareDay(audit: Audit, session: OwnSession, findings: Comparisons): void {
  const { time_zone: told } = audit.profile;
  const zone = told === 'discover' ? undefined : told;
  for (const end of ends.filter((each) => allows(audit.profile, each))) {
    const counted = audit.questions.flatMap((question) => {
      const day = question.isOwn ? singleDay(question, end) : undefined;
      const read = day === undefined ? undefined : lateRead(audit, question, session);
      return day === undefined || read === undefined || read.report.totalSessions === 0
        ? []
        : [{ day, read }];
    });
    const [only, ...others] = counted;
    if (only === undefined || others.length > 0 || only.read.report.totalSessions !== 1) continue;
    const { day } = only;
    const due = daysOf(audit, session, zone);
    const promised = zone ?? 'of any time zone';
    const found = `a session of ${due.join(' or ')} is counted on ${day}`;
    findings.made(
      !due.includes(day) && {
        reason: reason('audit-session-day', { day, due, zone: zone ?? null }),
        seqs: [session.created.seq, only.read.seq],
        causes: [shown('day-boundary-shifted', { promised, found })],
      },
    );
    findings.observed['counted on'] = day;
    return;
  }
}
