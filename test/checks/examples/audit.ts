import type { auditReasons } from '../../../src/checks/reasons/audit.ts';
import type { Examples } from './examples.ts';

export const auditExamples: Examples<typeof auditReasons> = {
  'audit-averages-unknown-products': { rest: { min: 400, max: 410 }, sessions: { min: 600, max: 610 } },
  'audit-empty-sessions': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    sessions: 3,
    isAll: true,
  },
  'audit-reversed-sessions': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    sessions: 3,
  },
  'audit-malformed-accepted': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    status: 200,
  },
  'audit-unknown-product-not-empty': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    sessions: 3,
    fields: ['total_sessions', 'top_shades'],
    allSessions: 3,
  },
  'audit-session-not-created': { status: 402 },
  'audit-session-missing': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    freshnessMs: 1000,
    isLate: true,
  },
  'audit-session-shades': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    shades: [{ sku: 'A-1', selections: 2 }],
  },
  'audit-session-day': { day: '2026-05-02', due: ['2026-05-01'], zone: 'UTC' },
  'audit-shades-wrong': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    sku: 'A-1',
    selections: 4,
    before: 3,
    fault: 'unsorted',
  },
  'audit-answer-status': {
    asked: 'lipstick, 2026-05-01 / 2026-05-31',
    status: 503,
  },
};
