/**
 * Variables of one stage: `TRUEUP__STAGING__API_KEY` is TRUEUP_API_KEY of the stage `staging`. A name has no `__`, so each
 * variable has one reading.
 */

/** The variables that a stage can have for itself, without their beginning. */
const ofStages = /^TRUEUP__(.+?)__((?:API_KEY|URL|STATE_URL|STATE_KEY|AGE_IDENTITY|AGE_IDENTITY_FILE)$|SECRET_.+)/;

/** A variable of one stage: the stage as variables write it, and the name that the variable has without a stage. */
interface StageVariable {
  readonly stage: string;
  readonly plain: string;
}

/** Reads the name of a variable; undefined: it is none of a stage. */
export function readStageVariable(name: string): StageVariable | undefined {
  const [, stage, rest] = ofStages.exec(name) ?? [];
  return stage === undefined || rest === undefined ? undefined : { stage, plain: `TRUEUP_${rest}` };
}

/** Whether a variable claims to be one of a stage: also one that is misspelt. */
export function isStageVariable(name: string): boolean {
  return name.startsWith('TRUEUP__');
}

/** A stage as variables write it: upper case, `-` as `_`. */
export function stageInVariables(stage: string): string {
  return stage.toUpperCase().replaceAll('-', '_');
}
