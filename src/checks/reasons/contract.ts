import { answerReasons } from './contract/answers.ts';
import { exploredReasons } from './contract/explored.ts';
import { openApiReasons } from './contract/openapi.ts';

/** Reasons of the contract checks. */
export const contractReasons = {
  ...answerReasons,
  ...exploredReasons,
  ...openApiReasons,
} as const;
