import { shown } from '../diagnosis/cause.ts';
import { reason } from '../reasons/reason.ts';
import type { Audit } from './audit.ts';
import type { Comparisons } from './findings.ts';
import { allows, ends, singleDay } from './periods.ts';
import { daysOf, lateRead, type Session } from './session-facts.ts';

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
