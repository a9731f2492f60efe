import { conditionReasons } from './rate-limit/conditions.ts';
import { headerReasons } from './rate-limit/headers.ts';
import { isolationReasons } from './rate-limit/isolation.ts';
import { loadReasons } from './rate-limit/load.ts';
import { rejectionReasons } from './rate-limit/rejections.ts';
import { studyReasons } from './rate-limit/study.ts';

/** Reasons of the rate-limit checks. */
export const rateLimitReasons = {
  ...loadReasons,
  ...isolationReasons,
  ...rejectionReasons,
  ...conditionReasons,
  ...headerReasons,
  ...studyReasons,
} as const;
