import { counted, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText } from './asked.ts';

export type FieldChange = {
  readonly field: string;
  readonly before: number | string;
  readonly after: number | string;
};

/** Reasons of `audit-reread`, `audit-order` and `audit-answers`: whether there is an answer, and always the same. */
export const steadinessReasons = {
  'audit-reread-pass': wording(
    { questions: 12 },
    ({ questions }) => `Answers to ${counted(questions, 'request')} are identical each time.`,
  ),
  'audit-order-pass': wording(
    { questions: 12 },
    ({ questions }) => `Answers to ${counted(questions, 'request')} are identical in every order.`,
  ),
  'audit-steadiness-none': wording(
    {},
    () => 'No request got the same answer early and late, so others may have changed the data.',
  ),
  'audit-answer-changed': wording<{
    asked: AskedPeriod;
    fields: FieldChange[];
    isTie: boolean;
    mayComeBack: boolean;
  }>(
    {
      asked: askedExample,
      fields: [{ field: 'total_sessions', before: 3, after: 4 }],
      isTie: false,
      mayComeBack: true,
    },
    ({ asked, fields, isTie, mayComeBack }) =>
      [
        fields.length > 0
          ? `The answer for ${askedText(asked)} changed.`
          : isTie
            ? `Shades with equal selections changed places in top_shades of ${askedText(asked)}.`
            : `The list top_shades of ${askedText(asked)} changed.`,
        ...fields.map(
          ({ after, before, field }) =>
            `The field ${field} was ${valueText(before)}, then ${valueText(after)}.`,
        ),
        ...(mayComeBack
          ? [
              'It changed back, which is right for means over sessions with shades, or by the last event.',
              'The profile can tell (analytics.sessions_averaged, analytics.cart_intent).',
            ]
          : []),
      ].join(' '),
  ),
  'audit-answers-pass': wording(
    { answers: 12 },
    ({ answers }) => `A 2xx answer in the promised form came to ${counted(answers, 'valid request')}.`,
  ),
  'audit-answers-none': wording({}, () => 'No valid request was sent.'),
  'audit-answer-malformed': wording<{ asked: AskedPeriod; problem: string }>(
    { asked: askedExample, problem: 'total_sessions: expected a number' },
    ({ asked, problem }) =>
      `The answer for ${askedText(asked)} is not in the promised form: ${problem.replace(/\.$/, '')}.`,
  ),
  'audit-answer-status': wording<{ asked: AskedPeriod; status: number | null }>(
    { asked: askedExample, status: 503 },
    ({ asked, status }) => `Expected 2xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
  ),
} as const;

function valueText(value: number | string): string {
  return typeof value === 'number' ? number(value) : JSON.stringify(value);
}
