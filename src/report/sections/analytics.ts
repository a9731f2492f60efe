import { analyticsTable } from '../../checks/analytics/compare/table.ts';
import { freshnessOf } from '../../checks/analytics/freshness/freshness.ts';
import { placedBy } from '../../checks/analytics/freshness/freshness-verdict.ts';
import { html } from '../markup.ts';
import { nothing, nothingIf, type Section, type SectionBody, type SectionInput } from '../section.ts';
import { agreement, answersPart } from './analytics/answers.ts';
import { conventionsPart } from './analytics/conventions.ts';
import { freshnessPart } from './analytics/freshness.ts';
import { sourcesPart } from './analytics/sources.ts';
import { checkLinks } from './check-links.ts';

/** Analytics answers with their expected values, the conventions that follow, and where differences arose. */
export const analyticsSection: Section = { id: 'analytics', title: 'Analytics', make };

/** Whether the run's shoppers give expected values for analytics: true wherever there was a load. */
export function asksForOwnShoppers({ checks, phases }: SectionInput['history']['run']): boolean {
  return checks.includes('analytics') && phases.length > 0;
}

async function make({ history, judgement, phases }: SectionInput): Promise<SectionBody | undefined> {
  const age = await freshnessOf(history);
  const { conventions, questions, reconciliation, rows, sources } = placedBy(
    age,
    await analyticsTable(history),
  );
  if (rows.length === 0) {
    const { checks } = history.run;
    if (checks.includes('analytics') && !asksForOwnShoppers(history.run))
      return nothing(
        'The run had no shoppers, so its record has nothing to compare with the answers. The verdicts above say whether the answers are consistent.',
      );
    return nothingIf(
      checks.includes('analytics'),
      'No analytics answer could be compared with a session of this run.',
    );
  }
  const checks = checkLinks(judgement);
  const freshness = freshnessPart(age, phases, checks);
  return {
    charts: freshness.charts ?? [],
    body: html`${agreement(rows)}
<h3>Conventions</h3>
${conventionsPart(conventions, checks)}
<h3>From events to analytics</h3>
${sourcesPart(sources, reconciliation, checks)}
<h3>Freshness</h3>
${freshness.body}
<h3 id="analytics-answers">All answers</h3>
${answersPart(rows, history.run, questions.judged)}`,
  };
}
