import type { Command } from 'commander';
import { Option } from 'commander';
import type { Command as Action } from '../command.ts';

/** Says what a command does: `load` gives it, and is called when the command runs. */
export type Runner = (command: Command, load: () => Promise<Action>) => void;

/** The option for plans in which nothing is cut short. */
export const full = ['--full', 'show all lines of long texts and lists, and each of many equal changes'] as const;

/** The same where a plan file can be given. */
export const fullWithFile = [
  full[0],
  `${full[1]}; with a plan file: read everything, not only what the plan touches`,
] as const;

/** The options for a part of a plan. */
export const target = [
  '--target <address>',
  'only this, what is below it and what it needs; * stands for any text; repeatable',
] as const;
export const exclude = ['--exclude <address>', 'without this, what is below it and what needs it; repeatable'] as const;
export const replace = ['--replace <address>', 'delete this object and create it again; repeatable'] as const;

/** The option that writes accepted drift back. */
export const includeAccepted = ['--include-accepted', 'also put back drift that was accepted'] as const;

/** The options for the values that a plan shows. */
export const hideValues = ['--hide-values', 'show no value of env, compose files and other texts'] as const;
export const showValues = [
  '--show-values',
  'on a terminal: show also what the platform has under keys that are not declared',
] as const;

/** The option for plans without deployments. */
export const noDeploy = ['--no-deploy', 'do not deploy'] as const;

/** An option that means another one, which help shows. */
export function alsoNamed(flag: string, attribute: 'yes' | 'autoApprove'): Option {
  return new Option(flag).implies({ [attribute]: true }).hideHelp();
}

/** The last part of a help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** Adds a value of an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
