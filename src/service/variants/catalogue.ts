import { cachedAnalytics } from './cached-analytics.ts';
import { clockAhead, clockBehind } from './clock-off.ts';
import { emptyErrors, problemDetails } from './error-bodies.ts';
import { extraFields } from './extra-fields.ts';
import { importAccepted, importCreated } from './import-status.ts';
import { epochLimitHeaders, structuredLimitHeaders } from './limit-headers.ts';
import { shadesBare, shadesWrapped } from './shades-list.ts';
import { shortTopShades } from './short-top-shades.ts';
import { slow } from './slow.ts';
import { tiesDescending } from './ties-descending.ts';
import { tiesListed } from './ties-listed.ts';
import { tokenBucketLimiter } from './token-bucket.ts';
import { unrounded } from './unrounded.ts';
import type { Variant } from './variant.ts';

/** Every harmless variant of the service. */
export const variants: readonly Variant[] = [
  tiesDescending,
  shortTopShades,
  tiesListed,
  unrounded,
  cachedAnalytics,
  shadesBare,
  shadesWrapped,
  importCreated,
  importAccepted,
  extraFields,
  structuredLimitHeaders,
  epochLimitHeaders,
  problemDetails,
  emptyErrors,
  tokenBucketLimiter,
  slow,
  clockAhead,
  clockBehind,
];
