import { studyPhases } from '../../../vocabulary/phases.ts';
import { hourMs } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import {
  type AskedQuestion,
  type Audit,
  type AuditRead,
  allows,
  ends,
  sessionsOf,
  singleDay,
} from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { means } from './recombine.ts';
import type { AuditRecord, Report } from './records.ts';

/** The session that the audit opened is in every number, once. No result for an audit that opened none. */
export function judgeSession(audit: Audit): CheckFinding[] {
  const tried = audit.records.filter(({ probe }) => probe === 'audit:session');
  const [last] = tried.slice(-1);
  if (last === undefined) return [];
  const created = tried.find(({ status }) => isSuccessStatus(status));
  const findings = new Comparisons();
  const observed: Record<string, string> = {};
  let nothing: Reason = reason('audit-session-not-created', { status: last.status });
  let hasInteractions = false;
  if (created !== undefined) {
    const acts = audit.records.filter(({ probe }) => probe === 'audit:acts').at(-1);
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
    observed.interactions =
      session.acts !== undefined ? 'a shade and a cart intent' : session.isClear ? 'none' : 'unclear';
  }
  return [
    resultOf(findings, {
      id: 'analytics.audit-session',
      expected: {
        'of its product': 'one session; with its interactions an average of 1, a rate of 1, one selection',
        'of all products': 'one session more, or as many more as others may have opened',
      },
      passed: reason('audit-session-pass', { numbers: findings.judged, hasInteractions }),
      nothing,
      observed,
    }),
  ];
}

/** The numbers of the session's product, over the longest period that was requested. */
function compareOwn(audit: Audit, session: Session, findings: Comparisons): void {
  const question = audit.questions.find(({ isOwn }) => isOwn);
  const read = lateRead(audit, question, session);
  if (question === undefined || read === undefined || !isCovered(audit, session, question)) {
    findings.skip();
    return;
  }
  const { asked } = question;
  const { average, rate, sessions, shades } = read.report;
  const seqs = (): number[] => [session.created.seq, ...(session.acts ? [session.acts.seq] : []), read.seq];
  const later = question.last?.report.sessions ?? 0;
  if (mayBeRedelivered(audit, sessions)) {
    findings.doubt(reason('audit-session-redelivered', { asked, sessions, isMore: false }), seqs());
    return;
  }
  findings.made(
    sessions === 1
      ? undefined
      : sessions === 0
        ? reason('audit-session-missing', {
            asked,
            freshnessMs: audit.profile.freshness,
            isLate: later === 1,
          })
        : reason('audit-session-count', { asked, sessions }),
    seqs,
    () => miscountCauses(audit, session, question, read),
  );
  if (session.acts === undefined || sessions !== 1) return;
  const half = 0.5 * 10 ** -audit.profile.decimals;
  const isOne = (value: number): boolean => Math.abs(value - 1) <= half;
  findings.made(isOne(average) ? undefined : reason('audit-session-average', { asked, got: average }), seqs);
  findings.made(isOne(rate) ? undefined : reason('audit-session-rate', { asked, got: rate }), seqs, () =>
    isOne(rate / 100) ? [shown('rate-as-percentage', { got: rate })] : [],
  );
  const [first] = shades;
  findings.made(
    shades.length === 1 && first?.selections === 1
      ? undefined
      : reason('audit-session-shades', { asked, shades: shades.slice(0, 5) }),
    seqs,
    () =>
      first === undefined
        ? []
        : [fits('selections-counted-wrong', { sku: first.sku, counted: first.selections, expected: 1 })],
  );
}

/** Why the product of one session has another number of them. */
function miscountCauses(audit: Audit, session: Session, question: AskedQuestion, read: AuditRead): Suspect[] {
  const wrong = fits('sessions-counted-wrong', { counted: read.report.sessions, expected: 1 });
  // What is late stays once it shows, and shows in every question.
  const comesAndGoes = audit.questions.some(({ reads }) =>
    reads.some(({ report }, place) => report.sessions < (reads[place - 1]?.report.sessions ?? 0)),
  );
  const own = audit.questions.filter(({ isOwn }) => isOwn).flatMap(({ reads }) => reads);
  const never = own.every(({ report }) => report.sessions === 0);
  if (read.report.sessions > 0 || comesAndGoes) return [wrong];
  if (never) return [staleness(audit, session, question.last ?? read), wrong];
  return question.last?.report.sessions === 1
    ? [{ ...staleness(audit, session, read), strength: 'shown' }]
    : [wrong];
}

/** The session may only not show yet. */
function staleness({ profile }: Audit, { created, acts }: Session, read: AuditRead): Suspect {
  const doneNs = (acts ?? created).answeredNs ?? read.sentNs;
  const lagMs = Math.max(profile.freshness, (read.sentNs - doneNs) / 1e6);
  return fits('stale-analytics', { lagMs, promisedMs: profile.freshness }, [created.seq, read.seq]);
}

/** The numbers of all products, before and after. */
function compareWhole(audit: Audit, session: Session, findings: Comparisons): void {
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
  const more = sessionsOf(read?.report ?? none) - sessionsOf(before ?? none);
  const exclusive = audit.profile.exclusive && audit.isSettled;
  // Old sessions may be cleared away, as far as anybody knows.
  if (
    asked === undefined ||
    before === undefined ||
    question === undefined ||
    read === undefined ||
    (more < 0 && !exclusive)
  ) {
    findings.skip();
    return;
  }
  const seqs = (): number[] => [asked.seq, session.created.seq, read.seq];
  if (exclusive && mayBeRedelivered(audit, more)) {
    findings.doubt(
      reason('audit-session-redelivered', { asked: question.asked, sessions: more, isMore: true }),
      seqs(),
    );
    return;
  }
  findings.made(
    more === 1 || (more > 1 && !exclusive)
      ? undefined
      : reason('audit-session-total', {
          asked: question.asked,
          before: before.sessions,
          after: read.report.sessions,
        }),
    seqs,
    () => [fits('sessions-counted-wrong', { counted: read.report.sessions, expected: before.sessions + 1 })],
  );
  if (!exclusive || more !== 1 || session.acts === undefined) return;
  for (const { field, of } of means) {
    const expected = (of(before) * before.sessions + 1) / read.report.sessions;
    findings.made(
      isMoved(audit, of(before), expected, of(read.report))
        ? undefined
        : reason('audit-session-mean', {
            asked: question.asked,
            field,
            before: of(before),
            sessions: before.sessions,
            got: of(read.report),
            expected,
          }),
      seqs,
    );
  }
}

/** Whether redeliveries of one request explain this number of sessions. */
function mayBeRedelivered({ mostUngranted }: Audit, sessions: number): boolean {
  return sessions > 1 && sessions <= 1 + mostUngranted;
}

const none: Report = { period: '', sessions: 0, average: 0, rate: 0, shades: [] };

/** A session with 1 moves a mean by its weight; over sessions with shades alone, that weight is not known. */
function isMoved({ profile }: Audit, was: number, expected: number, is: number): boolean {
  // Before and after are both rounded.
  const slack = 10 ** -profile.decimals + 1e-9;
  const [low, high] =
    profile.sessions_averaged === 'all' ? [expected, expected] : [Math.min(was, 1), Math.max(was, 1)];
  return is >= low - slack && is <= high + slack;
}

/** The one session of an audit, as far as it is known. */
interface Session {
  readonly created: AuditRecord;
  /** The request with its interactions, if the target took them. */
  readonly acts: AuditRecord | undefined;
  /** Whether more may have been done in it than is known. */
  readonly isClear: boolean;
}

/** The days that it was opened on, `YYYY-MM-DD`, first to last: in a zone, or wherever days may begin. */
function daysOf({ clock }: Audit, { acts, created }: Session, zone: string | undefined): string[] {
  const fromMs = clock.zeroMs.min + (created.sentNs ?? 0) / 1e6;
  const toMs = clock.zeroMs.max + ((acts ?? created).answeredNs ?? 0) / 1e6;
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
function isCovered(audit: Audit, session: Session, { end, start }: AskedQuestion): boolean {
  const days = daysOf(audit, session, undefined);
  return start.slice(0, 10) <= (days[0] ?? '') && (days.at(-1) ?? '') < end.slice(0, 10);
}

/** The first answer to a question that has to show the session. */
function lateRead(
  { profile }: Audit,
  question: AskedQuestion | undefined,
  session: Session,
): AuditRead | undefined {
  const doneNs = (session.acts ?? session.created).answeredNs ?? Number.POSITIVE_INFINITY;
  return session.isClear &&
    question?.first !== undefined &&
    question.first.sentNs >= doneNs + profile.freshness * 1e6
    ? question.first
    : undefined;
}

/** The day that it is counted on, where one-day periods show exactly one. */
function compareDay(audit: Audit, session: Session, findings: Comparisons): string | undefined {
  for (const end of ends.filter((each) => allows(audit.profile, each))) {
    const days = audit.questions.flatMap((question) => {
      const day = question.isOwn ? singleDay(question, end) : undefined;
      const read = day === undefined ? undefined : lateRead(audit, question, session);
      return day === undefined || read === undefined ? [] : [{ day, read }];
    });
    const [only, ...others] = days.filter(({ read }) => read.report.sessions > 0);
    if (only === undefined || others.length > 0 || only.read.report.sessions !== 1) continue;
    const { time_zone: zone } = audit.profile;
    const due = daysOf(audit, session, zone === 'discover' ? undefined : zone);
    findings.made(
      due.includes(only.day)
        ? undefined
        : reason('audit-session-day', { day: only.day, due, zone: zone === 'discover' ? null : zone }),
      () => [session.created.seq, only.read.seq],
      () => [
        shown('day-boundary-shifted', {
          promised: zone === 'discover' ? 'of any time zone' : zone,
          found: `a session of ${due.join(' or ')} is counted on ${only.day}`,
        }),
      ],
    );
    return only.day;
  }
  return undefined;
}
