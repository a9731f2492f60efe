import { alteredAnswers } from '../altered-answers.ts';
import type { Defect } from '../defect.ts';

/** The instant at which to come back, in seconds since 1970, where the seconds until then belong. */
export const retryAfterEpoch: Defect = {
  id: 'R15-epoch',
  grade: 2,
  title: 'Retry-After is an instant, in seconds since 1970',
  alterations: alteredAnswers((reply, { clock }) => {
    const seconds = reply.getHeader('retry-after');
    if (seconds !== undefined) {
      reply.header('retry-after', Math.ceil(clock.wallMs() / 1_000) + Number(seconds));
    }
  }),
};
