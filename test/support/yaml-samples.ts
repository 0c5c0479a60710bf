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
      return fencesIn(page, text)
        .filter(({ language }) => language === 'yaml')
        .map(trialOf);
    });
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
export function trialOf({ at, text }: Fence): Trial {
  const sample = parse(text, { merge: true }) as Readonly<Record<string, unknown>>;
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
  const isTop = Object.keys(sample).every((key) => key === 'environments' || Object.hasOwn(settingsShape, key));
  if (isTop) return `${head}${'environments' in sample ? '' : 'environments: { production: {} }\n'}${text}`;
  return `${head}environments:\n  production:\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
}
