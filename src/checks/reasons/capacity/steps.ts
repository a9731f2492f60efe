import { counted, number, verb } from '../../../amounts.ts';

/** Why a step of a capacity study has its outcome. */
export const stepReasons = {
  'step-limited': ({ rejected }: { rejected: number }) =>
    `A limit rejected ${counted(rejected, 'request')} (429 or 402) in this step.`,
  'step-stopped': 'The run was ended during this step.',
  'step-failed': ({ failed, judged }: { failed: number; judged: number }) =>
    `Of ${counted(judged, 'request')} in this step, ${number(failed)} failed.`,
  'step-over': (params: { over: number; judged: number; allowed: number; boundMs: number }) =>
    `Of ${counted(params.judged, 'request')} in this step, ${number(params.over)} took longer than ${number(params.boundMs)} ms; the promise allows ${number(params.allowed)}.`,
  'step-late': ({ late }: { late: number }) =>
    `The generator may be the cause: up to ${number(late)} of these ${verb(late, 'was', 'were')} sent late or held back.`,
  'step-silent': 'Nothing was answered in this step.',
} as const;
