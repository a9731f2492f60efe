import { eventReasons } from './contract/acts.ts';
import { answerReasons } from './contract/answers.ts';
import { importReasons } from './contract/imports.ts';
import { keyReasons } from './contract/keys.ts';
import { listReasons } from './contract/lists.ts';
import { malformedReasons } from './contract/malformed.ts';
import { openApiReasons } from './contract/openapi.ts';

/** Reasons of the contract checks. */
export const contractReasons = {
  ...answerReasons,
  ...keyReasons,
  ...listReasons,
  ...importReasons,
  ...malformedReasons,
  ...eventReasons,
  ...openApiReasons,
} as const;
