import type { Options } from './flags.ts';

/** Options that several commands have. Each may be spread where the help of a command lists it. */

const fullText = 'show all lines of long texts and lists, and each of many equal changes';

/** Nothing is cut short. */
export const full = { '--full': fullText } as const satisfies Options;

/** The same where a plan file can be given. */
export const fullWithFile = {
  '--full': `${fullText}; with a plan file: read everything, not only what the plan touches`,
} as const satisfies Options;

/** Every root file of a folder. */
export const allFiles = {
  '--all': 'every root file of the folder, without those that have preview:',
} as const satisfies Options;

/** A part of what is declared. */
export const target = {
  '--target <address>': {
    about: 'only this, what is below it and what it needs; * stands for any text; repeatable',
    isRepeatable: true,
  },
} as const satisfies Options;

/** The options for a part of a plan. */
export const narrowing = {
  ...target,
  '--exclude <address>': { about: 'without this, what is below it and what needs it; repeatable', isRepeatable: true },
} as const satisfies Options;

/** The options that add to a plan: an object is replaced, accepted drift is put back, a failed change is repeated. */
export const adding = {
  '--replace <address>': { about: 'delete this object and create it again; repeatable', isRepeatable: true },
  '--include-accepted': 'also put back drift that was accepted',
  '--retry-failed': 'also repeat changes that failed and were taken back',
} as const satisfies Options;

/** A plan without deployments. */
export const noDeploy = { '--no-deploy': 'do not deploy' } as const satisfies Options;

/** The values that a plan shows. */
export const values = {
  '--hide-values': 'show no value of env, compose files and other texts',
  '--show-values': 'on a terminal: show also what the platform has under keys that are not declared',
} as const satisfies Options;

/** Approves a plan in advance. */
export const autoApprove = {
  '--auto-approve': 'do not ask; required without a terminal; also --yes',
  '--yes': { means: 'autoApprove' },
} as const satisfies Options;

export const allowDataLoss = {
  '--allow-data-loss': 'allow changes that put data at risk',
} as const satisfies Options;

/** The in-flight timeout, and its earlier name. */
export const inFlightTimeout = {
  '--in-flight-timeout <time>':
    'in-flight timeout: how long an unanswered request may take to reach the platform; default: 60s',
  '--fence <time>': { isHidden: true },
} as const satisfies Options;

/** Another word for `--yes`. */
export const alsoAutoApprove = { '--auto-approve': { means: 'yes' } } as const satisfies Options;

/** A part of what drifted at an address. */
export const driftedField = {
  '--field <path>': {
    about: 'only this field, such as env.REGION, or all below it, such as env; repeatable',
    isRepeatable: true,
  },
} as const satisfies Options;

/** The id of an object that the state does not have. */
export const id = { '--id <id>': 'id of the object, if the state does not have it' } as const satisfies Options;

/** The values of the secrets of an export. */
export const secretValues = {
  '--with-secrets <file>': 'write the values of the secrets too: an env file that only you can read, or *.age',
  '--age-recipient <recipient>': { about: 'encrypt the values for it, as age1…; repeatable', isRepeatable: true },
} as const satisfies Options;
