import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { settingsShape } from '../../src/manifest/settings-shape.ts';
import type { Fence } from './page-parts.ts';
import { fencesIn } from './page-parts.ts';
import { root } from './samples.ts';
import { manifestOfPages, packedPages } from './shell-samples.ts';

/** The YAML that the README and the other pages show, as the installed program reads it. */

/** How a sample is tried. */
export interface Trial {
  readonly at: string;
  /** The folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The commands that read the sample. */
  readonly commands: string;
  /** The text that they print; without one they print no error and end with 0. */
  readonly prints?: string;
}

/** The trials of all pages; those of generated pages by themselves. */
export function yamlTrials(of: 'generated pages' | 'other pages'): readonly Trial[] {
  const isWanted = (page: string) => /^docs\/(diagnostics\.md|kinds\/)/.test(page) === (of === 'generated pages');
  return packedPages()
    .filter(isWanted)
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      if (page === 'docs/diagnostics.md') return text.split(/^## /m).slice(1).flatMap(ofCode);
      const samples = fencesIn(page, text).filter(({ language }) => language === 'yaml');
      const named = namedFiles(samples);
      const rootOf = (name: string) =>
        Object.keys(named).find(
          (one) => /^trueup:/m.test(named[one] ?? '') && includesOf(named[one] ?? '').includes(name),
        );
      return samples.map((sample) => {
        const trial = trialOf(sample);
        const own = Object.keys(named).find((name) => named[name] === sample.text);
        // A root file is read by its own name: beside it, a copy would have its environment too.
        const reader = own === undefined || /^trueup:/m.test(sample.text) ? own : rootOf(own);
        if (reader !== undefined) return { at: sample.at, files: named, commands: `trueup validate -f ${reader}` };
        return { ...trial, files: { ...named, ...trial.files } };
      });
    });
}

/** The samples of a page that begin with the name of their file, by that name. */
function namedFiles(samples: readonly Fence[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    samples.flatMap(({ text }) => {
      const name = /^# ([\w/-]+\.yaml)\b/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** The files that a root file includes. */
function includesOf(text: string): readonly string[] {
  return (parse(text, { logLevel: 'error' }) as { readonly include?: readonly string[] }).include ?? [];
}

/** The section of a code has files with a mistake, and what the program reports about it. */
function ofCode(section: string): readonly Trial[] {
  const fences = fencesIn(`docs/diagnostics.md#${section.split('\n', 1)[0]}`, section);
  const samples = fences.filter(({ language }) => language === 'yaml');
  const [first] = samples;
  if (first === undefined) return [];
  const files = Object.fromEntries(samples.map(({ file = '', text }) => [file, text]));
  return [
    {
      at: first.at,
      files,
      commands: 'trueup validate',
      prints: fences.find(({ language }) => language === 'text')?.text ?? '',
    },
  ];
}

/** How a sample is tried, by its keys. */
export function trialOf({ at, text: written }: Fence): Trial {
  let used = 0;
  const text = written.replaceAll('age1…', () => recipients[used++ % recipients.length] ?? '');
  const sample = parse(text, { merge: true, logLevel: 'error' }) as Readonly<Record<string, unknown>>;
  const beside = { 'trueup.yaml': manifestOfPages };
  const applied = 'trueup apply --auto-approve --adopt';
  if ('trueup-accepted' in sample)
    return { at, files: { ...beside, 'accepted.yaml': text }, commands: `${applied}\ntrueup drift` };
  if ('trueup-drift' in sample)
    return { at, files: { ...beside, 'drift.yaml': text }, commands: `${applied}\ntrueup drift` };
  if ('faults' in sample) return { at, files: { 'faults.yaml': text }, commands: emulated };
  const jobs = Object.values(sample).filter(
    (job): job is { script: string[] } => job !== null && typeof job === 'object' && 'script' in job,
  );
  if (jobs.length > 0) return { at, files: beside, commands: jobs.flatMap(({ script }) => script).join('\n') };
  return {
    at,
    files: { 'trueup.yaml': 'trueup' in sample ? text : completed(text, sample) },
    commands: 'trueup validate',
  };
}

/** Recipients of age, for those that pages leave out. */
const recipients = [
  'age1hfst75e63n77hqvp2gy9dlzazn5du3hqufm9arwuhjnm2qmuuaesdf88sw',
  'age1l4xszwvfv924qmhh52ynmevj7vc2vmjrpzhdqpqfgyvtuclp09tq60u936',
];

/** Blocks that a sample of `changes:` may change. */
const changeable = `application:
  api: { source: { type: docker, image: nginx }, env: { DEBUG: '1' } }
  mailer: { source: { type: docker, image: nginx } }
postgres:
  main: { dockerImage: 'postgres:17', databaseName: a, databaseUser: a, databasePassword: correct-horse-battery }
`;

/** Blocks that samples of `moved:` alone move to. */
const moveTargets = `application: { backend: { source: { type: docker, image: nginx } } }
compose: { site: { source: { type: raw, composeFile: 'services: { web: { image: nginx } }' } } }
`;

/** Serves the emulator with the faults, and ends it. */
const emulated = `trueup emulate --port 0 --faults faults.yaml > log 2>&1 & emulator=$!
until grep -q 'TRUEUP_URL\\|error' log; do sleep 0.05; done
cat log
kill $emulator`;

/** A minimal manifest with a fragment at its place: keys of the top there, sections in the environment `production`. */
function completed(text: string, sample: Readonly<Record<string, unknown>>): string {
  const minimal = Object.entries({ trueup: '1', platform: 'emulator', project: 'prj_1' });
  const head = minimal
    .filter(([key]) => !(key in sample))
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
  if ('templates' in sample || 'changes' in sample) {
    const own = `${head}environment: production\nvariables: { tag: { default: '1' } }\n`;
    return `${own}${'changes' in sample ? changeable : ''}${text}`;
  }
  const isTop = Object.keys(sample).every((key) => key === 'environments' || Object.hasOwn(settingsShape, key));
  if ('moved' in sample && !('environments' in sample))
    return `${head}environment: ${text.includes('production.') ? 'production' : 'test'}\n${moveTargets}${text}`;
  if (isTop) return `${head}${'environments' in sample ? '' : 'environments: { production: {} }\n'}${text}`;
  return `${head}environments:\n  production:\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
}
