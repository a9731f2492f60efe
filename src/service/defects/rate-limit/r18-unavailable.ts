import { alteredAnswers } from '../altered-answers.ts';
import type { Defect } from '../defect.ts';

/** The default of nginx's limit_req. */
export const unavailable: Defect = {
  id: 'R18',
  grade: 2,
  title: 'The rate limit answers 503 instead of 429',
  alterations: alteredAnswers((reply) => {
    if (reply.statusCode === 429) reply.code(503);
  }),
};
