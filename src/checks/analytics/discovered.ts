import type { History } from '../../history/history.ts';
import type { CheckResult, Shown } from '../verdict.ts';
import { accountWords, measureWords } from './conventions.ts';
import type { Choice, Search } from './search.ts';
import type { AnalyticsTable } from './table.ts';

/** The conventions that the answers show, by name, as values of the profile where it has them. */
interface Convention {
  readonly name: string;
  readonly of: (choice: Choice) => string;
}

const conventions: readonly Convention[] = [
  { name: 'end_date', of: ({ evaluation }) => evaluation.frame.end },
  { name: 'shades_per_session', of: ({ average }) => average.split('/')[0] ?? '' },
  { name: 'sessions_averaged', of: ({ average }) => average.split('/')[1] ?? '' },
  { name: 'cart_intent_rate over sessions', of: ({ rate }) => rate.split('/')[1] ?? '' },
  { name: 'top_shades', of: ({ evaluation }) => String(evaluation.topLength ?? 'not shown') },
  { name: 'account', of: ({ evaluation }) => accountWords(evaluation.frame.account) },
];

/** Which conventions fit every answer jointly, and whether the profile's own are among them. */
export function conventionsResult(history: History, { search, rows }: AnalyticsTable): CheckResult {
  const profile = history.profile.analytics;
  const expected: Shown = {
    end_date: profile.end_date,
    shades_per_session: profile.shades_per_session,
    sessions_averaged: profile.sessions_averaged,
    top_shades: profile.top_shades,
  };
  const base = {
    id: 'analytics.conventions',
    title: 'One set of conventions fits every answer',
    expected,
    evidence: [],
  } as const;
  if (search === undefined || rows.length === 0)
    return { ...base, verdict: 'inconclusive', observed: null, explanation: 'There was nothing to judge.' };
  if (search.fitting.length > 0) {
    const observed = table(search.fitting);
    const nothingSeen = search.chosen.fits === 0;
    const open = Object.entries(observed).filter(([, values]) => values.length > 1);
    const shared = search.fitting.every(({ evaluation }) => evaluation.frame.account === 'all-keys');
    const known = Object.entries(observed).filter(([, values]) => values.length === 1);
    return {
      ...base,
      verdict: nothingSeen ? 'inconclusive' : 'pass',
      observed: Object.fromEntries(
        Object.entries(observed).map(([name, values]) => [name, values.join(' or ')]),
      ),
      explanation: [
        nothingSeen
          ? 'No answer tells any convention from another.'
          : `Every answer fits ${known.map(([name, values]) => `${name}: ${values[0]}`).join(', ')}.`,
        open.length === 0
          ? ''
          : ` This run's data cannot tell ${open.map(([name, values]) => `${values.join(' from ')} (${name})`).join(', nor ')}.`,
        shared ? ' The keys given share one account.' : '',
      ].join(''),
    };
  }
  return { ...base, ...contradiction(search) };
}

/** Values of each convention among the choices, in order of preference. */
function table(choices: readonly Choice[]): Record<string, string[]> {
  return Object.fromEntries(
    conventions.map(({ name, of }) => [name, [...new Set(choices.map((choice) => of(choice)))]]),
  );
}

function contradiction({
  chosen,
  nearest,
}: Search): Pick<CheckResult, 'verdict' | 'observed' | 'explanation'> {
  const better = conventions.filter((convention) => convention.of(nearest) !== convention.of(chosen));
  const observed = Object.fromEntries(conventions.map(({ name, of }) => [name, of(nearest)]));
  const flips = nearest.misfits === 0 ? undefined : changing(chosen.evaluation);
  if (flips !== undefined) return { verdict: 'fail', observed, explanation: flips };
  if (nearest.misfits < chosen.misfits && better.length > 0) {
    const changes = better
      .map(({ name, of }) => `${name} ${of(nearest)}, while the profile says ${of(chosen)}`)
      .join('; ');
    return {
      verdict: 'fail',
      observed,
      explanation:
        nearest.misfits === 0
          ? `Every answer fits ${changes}.`
          : `The nearest is ${changes}, and ${nearest.misfits} values still do not fit it.`,
    };
  }
  return {
    verdict: 'inconclusive',
    observed,
    explanation: `No set of conventions fits every answer; under the nearest, ${chosen.misfits} values are wrong: see the fields.`,
  };
}

/** Averages that each fit some convention, but no two the same one. */
function changing({ averages }: Choice['evaluation']): string | undefined {
  const fitted: string[] = [];
  const count = averages.values().next().value?.length ?? 0;
  for (let index = 0; index < count; index++) {
    const fitting = [...averages].filter(([, fits]) => fits[index] !== 'misfits');
    if (fitting.length === 0) return undefined;
    if (fitting.length < averages.size)
      fitted.push(...fitting.slice(0, 1).map(([measure]) => measureWords(measure)));
  }
  const different = [...new Set(fitted)];
  return different.length > 1
    ? `The convention of avg_shades_per_session changes between answers: some are ${different.join(', others ')}.`
    : undefined;
}
