import { candidateLoads } from '../../checks/rate-limit/study/candidate-loads.ts';
import { limiterFindings } from '../../checks/rate-limit/study/findings.ts';
import { studySlots, trailingAdmitted } from '../../checks/rate-limit/study/time-slots.ts';
import { chartFigure } from '../chart.ts';
import { html } from '../markup.ts';
import { nothing, type Section, type SectionBody, type SectionInput } from '../section.ts';
import { studyBands } from '../study-bands.ts';
import { checkLinks } from './check-links.ts';
import { candidatesPart } from './limiter/candidates.ts';
import { foundPart } from './limiter/found.ts';
import { headersPart } from './limiter/headers.ts';
import { scopePart } from './limiter/scope.ts';
import { trailingChart } from './limiter/trailing.ts';

/** Points of a curve over the study, and of each of the many small charts. */
const points = { curve: 600, small: 200 };

/** The result of a study of the limiter; absent from the reports of other runs. */
export const limiterSection: Section = { id: 'limiter', title: 'The limiter', make };

async function make({ history, judgement }: SectionInput): Promise<SectionBody | undefined> {
  const findings = await limiterFindings(history);
  if (findings === undefined) return undefined;
  const { profile } = history;
  const slots = await studySlots(history, points.curve);
  if (slots === undefined) return nothing('The study of the limiter sent no requests.');
  const checks = checkLinks(judgement);
  const bands = await studyBands(history);
  const trailing = trailingChart(
    await trailingAdmitted(history, findings, slots),
    profile.rate_limit,
    slots,
    bands,
  );
  const smallSlots = { ...slots, widthNs: (slots.widthNs * slots.count) / points.small, count: points.small };
  const candidates = candidatesPart(
    candidateLoads(findings, profile.rate_limit, smallSlots),
    smallSlots,
    bands,
  );
  return {
    charts: [...(trailing === undefined ? [] : [trailing]), ...(candidates.charts ?? [])],
    body: html`${foundPart(findings, profile, checks)}
<h3>Admitted against the limit</h3>
${trailing === undefined ? html`<p class="none">Nothing was admitted.</p>` : chartFigure(trailing)}
${checks.line('rate-limit.admitted')}
<h3>Count of each kind</h3>
${candidates.body}
<h3>Scope of the limit</h3>
${await scopePart(history, findings, judgement, checks)}
<h3>Rate-limit headers</h3>
${await headersPart(history, judgement, checks)}`,
  };
}
