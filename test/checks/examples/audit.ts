import type { auditReasons } from '../../../src/checks/reasons/audit.ts';
import type { Examples } from './examples.ts';

export const auditExamples: Examples<typeof auditReasons> = {
  'audit-averages-pass': { comparisons: 12, excluded: ['cart_intent_rate'] },
  'audit-averages-unknown-products': { rest: { min: 400, max: 410 }, sessions: { min: 600, max: 610 } },
  'audit-averages-broken': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    field: 'cart_intent_rate',
    got: { min: 0.2, max: 0.2 },
    expected: { min: 0.29, max: 0.31 },
    parts: [{ mean: { min: 0.3, max: 0.3 }, sessions: { min: 4, max: 4 } }],
  },
  'audit-averages-no-fraction': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    field: 'cart_intent_rate',
    got: 0.37,
    sessions: 2,
  },
  'audit-dates-status': { asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' }, status: 500 },
  'audit-empty-pass': { ahead: true, ago: true },
  'audit-empty-old-sessions': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 3,
  },
  'audit-empty-sessions': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 3,
    isAll: true,
  },
  'audit-empty-not-zero': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    average: 1,
    rate: 0,
    shades: 2,
  },
  'audit-reversed-sessions': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 3,
  },
  'audit-malformed-apart': {
    asked: { product: null, from: 'yesterday', to: '2026-11-24' },
    word: 'yesterday',
    status: 422,
  },
  'audit-malformed-accepted': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    status: 200,
  },
  'audit-period-wrong': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    got: '2026-05-01/2026-05-31',
    expected: '2026-05-01 / 2026-05-31',
  },
  'audit-adjacent-pass': { periods: 12, end: 'inclusive' },
  'audit-sum-broken': {
    sku: null,
    whole: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    total: { min: 3, max: 3 },
    parts: [
      { asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-10' }, count: { min: 2, max: 2 } },
      { asked: { product: 'lipstick', from: '2026-05-11', to: '2026-05-31' }, count: { min: 2, max: 3 } },
    ],
    sum: { min: 4, max: 5 },
    isExact: true,
    maybeEachDay: false,
  },
  'audit-unknown-product-not-empty': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 3,
    average: 2,
    rate: 0.5,
    shades: 4,
    allSessions: 3,
  },
  'audit-session-pass': { numbers: 6, hasInteractions: false },
  'audit-session-not-created': { status: 402 },
  'audit-session-redelivered': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 2,
    isMore: false,
  },
  'audit-session-missing': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    freshnessMs: 1000,
    isLate: true,
  },
  'audit-session-count': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sessions: 2,
  },
  'audit-session-average': { asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' }, got: 2 },
  'audit-session-rate': { asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' }, got: 0 },
  'audit-session-shades': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    shades: [{ sku: 'A-1', selections: 2 }],
  },
  'audit-session-total': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    before: 3,
    after: 5,
  },
  'audit-session-mean': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    field: 'cart_intent_rate',
    before: 0.5,
    sessions: 4,
    got: 0.5,
    expected: 0.6,
  },
  'audit-session-day': { day: '2026-05-02', due: ['2026-05-01'], zone: 'UTC' },
  'audit-shades-wrong': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    sku: 'A-1',
    selections: 4,
    before: 3,
    fault: 'unsorted',
  },
  'audit-answer-changed': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    fields: [{ field: 'total_sessions', before: 3, after: 4 }],
    isTie: false,
    mayComeBack: true,
  },
  'audit-answer-malformed': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    problem: 'total_sessions: expected a number',
  },
  'audit-answer-status': {
    asked: { product: 'lipstick', from: '2026-05-01', to: '2026-05-31' },
    status: 503,
  },
};
