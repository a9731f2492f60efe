import { alteredAnswers } from '../altered-answers.ts';
import type { Defect } from '../defect.ts';

/** Every answer has the headers of a key that has sent nothing. Retry-After stays right. */
export const frozenHeaders: Defect = {
  id: 'R17',
  grade: 3,
  title: 'The remaining and reset headers never change',
  alterations: alteredAnswers((reply, { rateLimit }) => {
    if (!reply.hasHeader('ratelimit-remaining')) return;
    reply.header('ratelimit-remaining', rateLimit.requests);
    reply.header('ratelimit-reset', Math.ceil(rateLimit.windowMs / 1_000));
  }),
};
