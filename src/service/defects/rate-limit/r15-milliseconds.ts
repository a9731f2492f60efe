import { alteredAnswers } from '../altered-answers.ts';
import type { Defect } from '../defect.ts';

/** A caller that believes it waits a thousand times too long. */
export const retryAfterMilliseconds: Defect = {
  id: 'R15',
  grade: 2,
  title: 'Retry-After is in milliseconds',
  alterations: alteredAnswers((reply) => {
    const seconds = reply.getHeader('retry-after');
    if (seconds !== undefined) reply.header('retry-after', Number(seconds) * 1_000);
  }),
};
