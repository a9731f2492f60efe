import { shown } from '../diagnosis/cause.ts';
import { expects } from '../reasons/expected.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';

const form = /^(\S+) \/ (\S+)$/;

/** `period` gives the two dates that were asked for, in the promised form; where times were sent, days alone will do, or the reverse. */
export function judgePeriodText({ questions }: Audit): CheckFinding {
  const findings = new Comparisons();
  const ways = new Set<string>();
  for (const { asked, end, reads, start } of questions) {
    for (const { report, seq } of reads) {
      const [, from = '', to = ''] = form.exec(report.period) ?? [];
      const isExact = from === start && to === end;
      const isSameDays = isDay(from, start) && isDay(to, end);
      if (isExact || isSameDays) ways.add(isExact ? 'as sent' : `${shape(from)} / ${shape(to)}`);
      findings.made(
        isExact || isSameDays
          ? undefined
          : reason('audit-period-wrong', { asked, got: report.period, expected: `${start} / ${end}` }),
        () => [seq],
        () => [shown('period-wrong', { got: report.period, expected: `${start} / ${end}` })],
      );
    }
  }
  return resultOf(findings, {
    id: 'analytics.audit-period',
    expected: expects('analytics.audit-period'),
    passed: reason('audit-period-pass', { periods: findings.judged }),
    nothing: reason('audit-period-none'),
    observed: { dates: [...ways] },
  });
}

/** Whether a date or an instant falls on the day of another, as both are written. */
function isDay(text: string, asked: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) && text.slice(0, 10) === asked.slice(0, 10);
}

function shape(text: string): string {
  return text.length > 10 ? 'YYYY-MM-DDTHH:MM:SSZ' : 'YYYY-MM-DD';
}
