import type { Defect } from './defect.ts';
import { batchOf501Accepted } from './shades/s1-batch-of-501-accepted.ts';
import { batchOf500Rejected } from './shades/s2-batch-of-500-rejected.ts';
import { oversizeBatchTruncated } from './shades/s3-oversize-batch-truncated.ts';
import { countsWhatWasSent } from './shades/s4-counts-what-was-sent.ts';
import { refusedBatchPartlyWritten } from './shades/s5-refused-batch-partly-written.ts';
import { reimportDuplicates } from './shades/s6-reimport-duplicates.ts';
import { unicodeMangled } from './shades/s8-unicode-mangled.ts';
import { lateShades } from './shades/s10-late-shades.ts';
import { finishDropped } from './shades/s11-finish-dropped.ts';

export const shadeDefects: readonly Defect[] = [
  batchOf501Accepted,
  batchOf500Rejected,
  oversizeBatchTruncated,
  countsWhatWasSent,
  refusedBatchPartlyWritten,
  reimportDuplicates,
  unicodeMangled,
  lateShades,
  finishDropped,
];
