import { answerReasons } from './analytics/answers.ts';
import { conventionReasons } from './analytics/conventions.ts';
import { freshnessReasons } from './analytics/freshness.ts';
import { relationReasons } from './analytics/relations.ts';
import { sessionReasons } from './analytics/sessions.ts';
import { topShadesReasons } from './analytics/top-shades.ts';

/** Reasons of the analytics checks. */
export const analyticsReasons = {
  ...answerReasons,
  ...topShadesReasons,
  ...relationReasons,
  ...conventionReasons,
  ...freshnessReasons,
  ...sessionReasons,
} as const;
