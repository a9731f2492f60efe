import type { Judgement } from '../../checks/diagnosis/judgement.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { type Html, html, prose } from '../markup.ts';
import { verdictBadge } from './verdict-badge.ts';

/** Links to verdicts, for sections that show a check's data. Nothing for checks that were not made. */
export interface CheckLinks {
  /** The verdict alone. */
  badge(id: CheckId): Html | false;
  /** The verdict with the check's title. */
  title(id: CheckId): Html | false;
  /** The verdict with its explanation, too. */
  line(id: CheckId): Html | false;
}

function titled({ id, title, verdict }: Judgement['checks'][number]): Html {
  return html`${verdictBadge(verdict)} <a href="#${id}">${prose(title)}</a>`;
}

export function checkLinks({ checks }: Judgement): CheckLinks {
  const of = (id: CheckId): Judgement['checks'][number] | undefined =>
    checks.find((check) => check.id === id);
  return {
    badge: (id) => {
      const check = of(id);
      return (
        check !== undefined && html`<a class="to-check" href="#${id}">${verdictBadge(check.verdict)}</a>`
      );
    },
    title: (id) => {
      const check = of(id);
      return check !== undefined && html`<p>${titled(check)}</p>`;
    },
    line: (id) => {
      const check = of(id);
      return check !== undefined && html`<p>${titled(check)}: ${prose(check.explanation)}</p>`;
    },
  };
}
