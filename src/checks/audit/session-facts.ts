import { hourMs } from '../../vocabulary/quantities.ts';
import type { AskedQuestion, Audit, AuditRead } from './audit.ts';
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
export function daysOf({ clock }: Audit, { acts, created }: Session, zone: string | undefined): string[] {
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
