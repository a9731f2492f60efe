import { alteredAnswers } from '../altered-answers.ts';
import type { Defect } from '../defect.ts';

/** A caller that believes it waits for a rate limit to pass, and waits in vain. */
export const tooManyRequests: Defect = {
  id: 'Q1',
  grade: 1,
  title: 'A spent quota is answered with 429 instead of 402',
  alterations: alteredAnswers((reply) => {
    if (reply.statusCode === 402) reply.code(429);
  }),
};
