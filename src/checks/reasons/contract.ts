import { answerReasons } from './contract/answers.ts';
import { exploredReasons } from './contract/explored.ts';
import { keyReasons } from './contract/keys.ts';
import { listReasons } from './contract/lists.ts';
import { openApiReasons } from './contract/openapi.ts';

/** Reasons of the contract checks. */
export const contractReasons = {
  ...answerReasons,
  ...keyReasons,
  ...listReasons,
  ...exploredReasons,
  ...openApiReasons,
} as const;
