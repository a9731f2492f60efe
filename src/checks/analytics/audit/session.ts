import { studyPhases } from '../../../vocabulary/phases.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type AskedQuestion, type Audit, type AuditRead, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { means } from './recombine.ts';
import type { Report } from './records.ts';
import { compareDay, isCovered, lateRead, type Session } from './session-facts.ts';

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
