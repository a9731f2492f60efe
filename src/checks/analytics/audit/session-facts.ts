import { hourMs } from '../../../vocabulary/quantities.ts';
import { shown } from '../../causes/cause.ts';
import { reason } from '../../reasons/reason.ts';
import type { AskedQuestion, Audit, AuditRead } from './audit.ts';
import type { Comparisons } from './findings.ts';
import { allows, ends, singleDay } from './periods.ts';
import type { AuditRecord } from './records.ts';

/** The one session of an audit, as far as it is known. */
export interface Session {
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
export function isCovered(audit: Audit, session: Session, { end, start }: AskedQuestion): boolean {
  const days = daysOf(audit, session, undefined);
  return start.slice(0, 10) <= (days[0] ?? '') && (days.at(-1) ?? '') < end.slice(0, 10);
}

/** The first answer to a question that has to show the session. */
export function lateRead(
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
export function compareDay(audit: Audit, session: Session, findings: Comparisons): string | undefined {
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
