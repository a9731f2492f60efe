import { counted, number, verb } from '../../../amounts.ts';
import type { Inferred, InferredConventions } from '../../../checks/analytics/compare/inferred.ts';
import { reason, reasonText } from '../../../checks/reasons/reason.ts';
import type { ConventionName } from '../../../vocabulary/analytics.ts';
import { type Content, foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
import type { CheckLinks } from '../check-links.ts';

const titles: Readonly<Record<ConventionName, string>> = {
  date_format: 'Date format',
  end_date: 'end_date',
  time_zone: 'Time zone of the days',
  session_day: 'Instant that decides a session’s day',
  shades_per_session: 'Shades in a session',
  sessions_averaged: 'Sessions averaged in avg_shades_per_session',
  cart_intent_over: 'Sessions counted in cart_intent_rate',
  cart_intent: 'Cart intent counts',
  top_shades: 'Longest top_shades',
  tie_order: 'Order of shades with equal selections',
  rounding: 'Rounding',
  account: 'Whose sessions an answer counts (data_scope)',
};

const sentences: Readonly<Record<InferredConventions['kind'], string>> = {
  fits: 'The interface shows none of these. Every combination was compared with every answer; these values fit all answers.',
  contradicts:
    'The interface shows none of these. Every combination was compared with every answer. One fits all answers, and the profile says another:',
  none: 'The interface shows none of these. Every combination was compared with every answer, and none fits all answers. The nearest:',
};

/** Values of one convention that the page names; all of a hundred zones would tell a reader no more. */
const mostValues = 4;

/** The conventions that the answers show, with the profile's, and what would decide the open ones. */
export function conventionsPart(inferred: InferredConventions | null, checks: CheckLinks): Html {
  if (inferred === null) return html`<p class="none">No answer could tell conventions apart.</p>`;
  const { breaks, conventions, kind } = inferred;
  return html`<p>${sentences[kind]}</p>
${table(
  kind === 'none' ? 'The nearest set of conventions' : 'Conventions that fit every answer',
  conventions,
  [
    ['Convention', ({ name }) => titles[name]],
    ['Profile', ({ profile }) => profileCell(profile)],
    ['Answers show', shownCell],
    ['What would tell them apart', ({ name, values }) => kind === 'fits' && separation(name, values)],
  ],
)}
${
  breaks.length > 0 &&
  html`<p>${counted(breaks.length, 'value')} ${verb(breaks.length, 'does', 'do')} not fit it: ${foreign(
    breaks
      .slice(0, 8)
      .map(({ field, query, seq }) => `${query}: ${field} (request ${seq})`)
      .join('; '),
  )}${breaks.length > 8 && ', …'}</p>`
}
${checks.line('analytics.conventions')}`;
}

function separation(convention: ConventionName, { length }: readonly string[]): Content {
  if (length < 2 || convention === 'date_format') return false;
  return html`<div class="long">${foreign(reasonText(reason('separation-session', { convention })))}</div>`;
}

function profileCell(profile: string | null): Content {
  if (profile === null) return html`<span class="none">says nothing</span>`;
  return profile === 'discover' ? html`<span class="none">leaves it open</span>` : foreign(profile);
}

function shownCell({ profile, values }: Inferred): Content {
  if (values.length === 0) return html`<span class="none">nothing</span>`;
  const more = values.length - mostValues;
  const text = `${values.slice(0, mostValues).join(' or ')}${more > 0 ? ` or ${number(more)} more` : ''}`;
  const [only] = values;
  const isOther = profile !== null && profile !== 'discover' && values.length === 1 && only !== profile;
  return isOther ? html`<strong>${foreign(text)}</strong>` : foreign(text);
}
