import { meanFields } from '../../../vocabulary/analytics.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { hourMs } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
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
import { Comparisons } from './findings.ts';
import type { AskedQuestion, Audit, AuditRead, AuditRecord } from './questions.ts';

/** The one session of an audit, as far as it is known. */
interface OwnSession {
  readonly created: AuditRecord;
  /** The request with its interactions, if the target took them. */
  readonly acts: AuditRecord | undefined;
  /** Whether more may have been done in it than is known. */
  readonly isClear: boolean;
}

/** The session that the audit opened is in every number, once. No result for an audit that opened none. */
export function judgeSession(audit: Audit): CheckFinding[] {
  const tried = audit.records.filter(({ probe }) => probe === 'audit:session');
  const last = tried.at(-1);
  if (last === undefined) return [];
  const created = tried.find(({ status }) => isSuccessStatus(status));
  const findings = new Comparisons();
  const observed: Record<string, string> = {};
  let nothing: Reason = reason('audit-session-not-created', { status: last.status });
  let hasInteractions = false;
  if (created !== undefined) {
    const acts = audit.records.findLast(({ probe }) => probe === 'audit:acts');
    const session = {
      created,
      acts: acts !== undefined && isSuccessStatus(acts.status) ? acts : undefined,
      isClear: acts === undefined || (acts.status !== null && acts.status < 500),
    };
    nothing = session.isClear ? reason('audit-session-too-early') : reason('audit-session-unclear');
    hasInteractions = session.acts !== undefined;
    compareOwn(audit, session, findings);
    compareWhole(audit, session, findings);
    const day = compareDay(audit, session, findings);
    if (day !== undefined) observed['counted on'] = day;
    observed.interactions = hasInteractions
      ? 'a shade and a cart intent'
      : session.isClear
        ? 'none'
        : 'unclear';
  }
  const passed = reason('audit-session-pass', { numbers: findings.judged, hasInteractions });
  return [findings.result('analytics.audit-session', { passed, nothing, observed })];
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
  const { totalSessions, topShades } = read.report;
  const own = sessionPart(session);
  const cover: Cover = { whole: partOf(asked, read.report, read.seq), parts: [own], rest: none };
  const seqs = [...own.seqs, read.seq];
  // Redeliveries of one request explain this number.
  if (totalSessions > 1 && totalSessions <= 1 + audit.mostUngranted) {
    findings.doubt({
      reason: reason('audit-session-redelivered', { asked, sessions: totalSessions }),
      seqs,
    });
    return;
  }
  const isLate = question.last?.report.totalSessions === 1;
  const { decimals, freshness: freshnessMs } = audit.profile;
  const broken = sumBroken(cover, sessions);
  findings.compared(
    broken && totalSessions === 0
      ? { ...broken, reason: reason('audit-session-missing', { asked, freshnessMs, isLate }) }
      : broken,
    ...miscountCauses(audit, session, question, read),
  );
  if (session.acts === undefined || totalSessions !== 1) return;
  const { cartIntentRate: got } = read.report;
  const isPercentage = Math.abs(got / 100 - 1) <= 0.5 * 10 ** -decimals;
  for (const field of meanFields)
    findings.compared(
      compareMean(cover, field, decimals)?.broken,
      ...(field === 'cart_intent_rate' && isPercentage ? [shown('rate-as-percentage', { got })] : []),
    );
  const [first] = topShades;
  findings.made(
    !(topShades.length === 1 && first?.selections === 1) && {
      reason: reason('audit-session-shades', { asked, shades: topShades.slice(0, 5) }),
      seqs,
      causes:
        first === undefined
          ? []
          : [fits('selections-counted-wrong', { sku: first.sku, counted: first.selections, expected: 1 })],
    },
  );
}

/** Why the product of one session has another number of them. */
function miscountCauses(
  audit: Audit,
  session: OwnSession,
  question: AskedQuestion,
  read: AuditRead,
): Suspect[] {
  const total = ({ report }: AuditRead): number => report.totalSessions;
  const wrong = fits('sessions-counted-wrong', { counted: total(read), expected: 1 });
  // What is late stays once it shows, and shows in every question.
  const comesAndGoes = audit.questions.some(({ reads }) =>
    reads.some((each, place) => total(each) < total(reads[place - 1] ?? each)),
  );
  const never = audit.questions.every(
    ({ isOwn, reads }) => !isOwn || reads.every((each) => total(each) === 0),
  );
  if (total(read) > 0 || comesAndGoes) return [wrong];
  if (never) return [staleness(audit, session, question.last ?? read), wrong];
  return question.last?.report.totalSessions === 1
    ? [{ ...staleness(audit, session, read), strength: 'shown' }]
    : [wrong];
}

/** The session may only not show yet. */
function staleness({ profile }: Audit, { acts, created }: OwnSession, read: AuditRead): Suspect {
  const doneNs = (acts ?? created).answeredNs ?? read.sentNs;
  const lagMs = Math.max(profile.freshness, (read.sentNs - doneNs) / 1e6);
  return fits('stale-analytics', { lagMs, promisedMs: profile.freshness }, [created.seq, read.seq]);
}

/** The numbers of all products: those of before and of the session. */
function compareWhole(audit: Audit, session: OwnSession, findings: Comparisons): void {
  const asked = audit.records.find(
    ({ phase, productId }) => phase === studyPhases.auditBefore && productId === null,
  );
  const before = asked?.report ?? undefined;
  const question = audit.questions.find(
    ({ end, product, start }) =>
      product === null && start === asked?.query.start_date && end === asked.query.end_date,
  );
  const read =
    question !== undefined && isCovered(audit, session, question)
      ? lateRead(audit, question, session)
      : undefined;
  const isAlone = audit.profile.exclusive && audit.isSettled;
  const more = (read?.report.totalSessions ?? 0) - (before?.totalSessions ?? 0);
  // Old sessions may be cleared away, as far as anybody knows.
  if (!asked || !before || !question || !read || (more < 0 && !isAlone)) {
    findings.skipped++;
    return;
  }
  const past = partOf(`${question.asked}, before it`, before, asked.seq);
  const cover: Cover = {
    whole: partOf(question.asked, read.report, read.seq),
    parts: [past, sessionPart(session)],
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
function daysOf({ zeroMs }: Audit, { acts, created }: OwnSession, zone: string | undefined): string[] {
  const fromMs = zeroMs.min + (created.sentNs ?? 0) / 1e6;
  const toMs = zeroMs.max + ((acts ?? created).answeredNs ?? 0) / 1e6;
  const days =
    zone === undefined
      ? [dayIn('UTC', fromMs - 12 * hourMs), dayIn('UTC', fromMs), dayIn('UTC', toMs + 14 * hourMs)]
      : [dayIn(zone, fromMs), dayIn(zone, toMs)];
  return [...new Set(days)];
}

function dayIn(timeZone: string, epochMs: number): string {
  // Sweden writes dates as ISO 8601 has them.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(epochMs);
}

/** Whether the session is certainly in a period, wherever days begin and however ends are meant. */
function isCovered(audit: Audit, session: OwnSession, { end, start }: AskedQuestion): boolean {
  const days = daysOf(audit, session, undefined);
  return start.slice(0, 10) <= (days[0] ?? '') && (days.at(-1) ?? '') < end.slice(0, 10);
}

/** The first answer to a question that has to show the session. */
function lateRead(
  { profile }: Audit,
  question: AskedQuestion | undefined,
  session: OwnSession,
): AuditRead | undefined {
  const doneNs = (session.acts ?? session.created).answeredNs ?? Number.POSITIVE_INFINITY;
  return session.isClear &&
    question?.first !== undefined &&
    question.first.sentNs >= doneNs + profile.freshness * 1e6
    ? question.first
    : undefined;
}

/** The day that it is counted on, where one-day periods show exactly one. */
function compareDay(audit: Audit, session: OwnSession, findings: Comparisons): string | undefined {
  for (const end of ends.filter((each) => allows(audit.profile, each))) {
    const days = audit.questions.flatMap((question) => {
      const day = question.isOwn ? singleDay(question, end) : undefined;
      const read = day === undefined ? undefined : lateRead(audit, question, session);
      return day === undefined || read === undefined ? [] : [{ day, read }];
    });
    const [only, ...others] = days.filter(({ read }) => read.report.totalSessions > 0);
    if (only === undefined || others.length > 0 || only.read.report.totalSessions !== 1) continue;
    const { time_zone: zone } = audit.profile;
    const due = daysOf(audit, session, zone === 'discover' ? undefined : zone);
    const figures = {
      promised: zone === 'discover' ? 'of any time zone' : zone,
      found: `a session of ${due.join(' or ')} is counted on ${only.day}`,
    };
    findings.made(
      !due.includes(only.day) && {
        reason: reason('audit-session-day', { day: only.day, due, zone: zone === 'discover' ? null : zone }),
        seqs: [session.created.seq, only.read.seq],
        causes: [shown('day-boundary-shifted', figures)],
      },
    );
    return only.day;
  }
  return undefined;
}
