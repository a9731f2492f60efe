import { counted, number, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** Why a step of a capacity study has its outcome. */
export const stepReasons = {
  'step-limited': wording(
    { rejected: 3 },
    ({ rejected }) => `A limit rejected ${counted(rejected, 'request')} (429 or 402) in this step.`,
  ),
  'step-stopped': wording({}, () => 'The run was ended during this step.'),
  'step-failed': wording(
    { failed: 3, judged: 100 },
    ({ failed, judged }) => `Of ${counted(judged, 'request')} in this step, ${number(failed)} failed.`,
  ),
  'step-over': wording(
    { over: 3, judged: 100, allowed: 1, boundMs: 50 },
    ({ allowed, boundMs, judged, over }) =>
      `Of ${counted(judged, 'request')} in this step, ${number(over)} took longer than ${number(boundMs)} ms; the promise allows ${number(allowed)}.`,
  ),
  'step-late': wording(
    { late: 3 },
    ({ late }) =>
      `The generator may be the cause: up to ${number(late)} of these ${verb(late, 'was', 'were')} sent late or held back.`,
  ),
  'step-silent': wording({}, () => 'Nothing was answered in this step.'),
} as const;
