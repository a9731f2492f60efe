import { counted, number } from '../../../amounts.ts';
import { type AskedPeriod, askedText } from './asked.ts';

export type FieldChange = {
  readonly field: string;
  readonly before: number | string;
  readonly after: number | string;
};

/** Reasons of `audit-reread`, `audit-order` and `audit-answers`: whether there is an answer, and always the same. */
export const steadinessReasons = {
  'audit-reread-pass': ({ questions }: { questions: number }) =>
    `Answers to ${counted(questions, 'request')} are identical each time.`,
  'audit-order-pass': ({ questions }: { questions: number }) =>
    `Answers to ${counted(questions, 'request')} are identical in every order.`,
  'audit-steadiness-none':
    'No request got the same answer early and late, so others may have changed the data.',
  'audit-answer-changed': (params: {
    asked: AskedPeriod;
    fields: FieldChange[];
    isTie: boolean;
    mayComeBack: boolean;
  }) =>
    [
      params.fields.length > 0
        ? `The answer for ${askedText(params.asked)} changed.`
        : params.isTie
          ? `Shades with equal selections changed places in top_shades of ${askedText(params.asked)}.`
          : `The list top_shades of ${askedText(params.asked)} changed.`,
      ...params.fields.map(
        ({ after, before, field }) =>
          `The field ${field} was ${valueText(before)}, then ${valueText(after)}.`,
      ),
      ...(params.mayComeBack
        ? [
            'It changed back, which is right for means over sessions with shades, or by the last event.',
            'The profile can tell (analytics.sessions_averaged, analytics.cart_intent).',
          ]
        : []),
    ].join(' '),
  'audit-answers-pass': ({ answers }: { answers: number }) =>
    `A 2xx answer in the promised form came to ${counted(answers, 'valid request')}.`,
  'audit-answers-none': 'No valid request was sent.',
  'audit-answer-malformed': ({ asked, problem }: { asked: AskedPeriod; problem: string }) =>
    `The answer for ${askedText(asked)} is not in the promised form: ${problem.replace(/\.$/, '')}.`,
  'audit-answer-status': ({ asked, status }: { asked: AskedPeriod; status: number | null }) =>
    `Expected 2xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
} as const;

function valueText(value: number | string): string {
  return typeof value === 'number' ? number(value) : JSON.stringify(value);
}
