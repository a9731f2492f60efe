import { headerReasons } from './rate-limit/headers.ts';
import { loadReasons } from './rate-limit/load.ts';
import { studyReasons } from './rate-limit/study.ts';

/** Reasons of the rate-limit checks. */
export const rateLimitReasons = { ...loadReasons, ...headerReasons, ...studyReasons } as const;
