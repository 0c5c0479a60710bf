import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fencesIn, partsOf } from '../support/page-parts.ts';
import { root } from '../support/samples.ts';
import {
  asTyped,
  elsewhere,
  installedPages,
  isElsewhere,
  packedPages,
  shellBlocks,
  stageOf,
  stagedPages,
  tutorialPage,
} from '../support/shell-samples.ts';
import { trialOf, yamlTrials } from '../support/yaml-samples.ts';

/** The rules by which `installed-package.test.ts` runs the samples of the pages: none is left out without a reason. */

const read = (page: string) => readFileSync(join(root, page), 'utf8');

test('every block of every page has a language that is run, or is output', () => {
  const languages = packedPages().flatMap((page) =>
    fencesIn(page, read(page)).map(({ at, language }) => (/^(sh|yaml|ts|text|json|mermaid)$/.test(language) ? '' : at)),
  );
  expect(languages.length).toBeGreaterThan(250);
  expect(languages.filter(Boolean)).toEqual([]);
  const fences = packedPages().flatMap((page) => [...read(page).matchAll(/^ *```/gm)]);
  expect(fences).toHaveLength(2 * languages.length);
});

test('blocks are found in list items too, without their indentation, with the file that the line before names', () => {
  const page = '`a.yaml`:\n\n```yaml\na: 1\n```\n\n- b:\n\n  ```sh\n  b\n    c\n  ```\n';
  expect(fencesIn('a.md', page)).toEqual([
    { at: 'a.md:3', language: 'yaml', text: 'a: 1\n', file: 'a.yaml' },
    { at: 'a.md:9', language: 'sh', text: 'b\n  c\n', file: undefined },
  ]);
});

test('every block of commands runs from the installed package, but for fifteen that need a clone, a container or PostgreSQL', () => {
  const blocks = packedPages().flatMap((page) => shellBlocks(page).map((block) => ({ page, block })));
  const out = blocks.filter(({ page, block }) => isElsewhere(page, block));
  expect(out).toHaveLength(15);
  expect(elsewhere).toHaveLength(15);
  for (const { page, begins, by } of elsewhere) {
    const found = out.filter((one) => one.page === page && one.block.startsWith(begins));
    expect(found, `${page}: ${begins}`).toHaveLength(1);
    // It runs no command of the package, but for those of the controller.
    expect(found[0]?.block.replaceAll('trueup controller ', '')).not.toMatch(/(^|[&|;(] *)(npx )?trueup\b/m);
    expect(existsSync(join(root, by)), by).toBe(true);
  }
  const runs = [...installedPages(), tutorialPage];
  expect(blocks.filter(({ page, block }) => !runs.includes(page) && !isElsewhere(page, block))).toEqual([]);
  // The blocks that are followed are all there are.
  for (const page of runs) expect(partsOf(read(page)).map(({ commands }) => commands)).toEqual(shellBlocks(page));
});

test('what stands in for words of the reader, and what happens before a block, has its place on the page', () => {
  const around = { url: 'http://127.0.0.1:1', port: 1, receiver: 'http://127.0.0.1:2' };
  expect(stagedPages.filter((page) => !installedPages().includes(page))).toEqual([]);
  for (const page of installedPages()) {
    const { words, before } = stageOf(page, around);
    const blocks = shellBlocks(page);
    for (const word of Object.keys(words)) expect(blocks.join('\n'), page).toContain(word);
    for (const begins of Object.keys(before).filter(Boolean)) {
      expect(
        blocks.filter((block) => block.startsWith(begins)),
        `${page}: ${begins}`,
      ).toHaveLength(1);
    }
  }
  expect(asTyped('trueup -C DIR apply # b\ntrueup drift\n', { DIR: 'infra' })).toBe(
    'trueup -C infra apply --auto-approve # b\ntrueup drift || [ $? = 2 ]\n',
  );
});

test('every sample of YAML is read: whole, as a fragment of a manifest, or as the file that it is', () => {
  const sample = (text: string) => trialOf({ at: 'a.md:1', language: 'yaml', text, file: undefined });
  const manifest = (text: string) => sample(text).files['trueup.yaml'];
  const whole = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: {}\n';
  expect(sample(whole)).toEqual({ at: 'a.md:1', files: { 'trueup.yaml': whole }, commands: 'trueup validate' });
  expect(manifest('project: shop\n')).toBe(
    'trueup: 1\nplatform: emulator\nenvironments: { production: {} }\nproject: shop\n',
  );
  expect(manifest('redis:\n  a: {}\n')).toBe(
    'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      a: {}\n',
  );
  expect(sample('trueup-drift: 1\nfindings: []\n').files).toHaveProperty(['drift.yaml']);
  expect(sample('trueup-accepted: 1\naccepted: []\n').files).toHaveProperty(['accepted.yaml']);
  expect(sample('faults: []\n').commands).toContain('--faults faults.yaml');
  expect(sample('plan:\n  script: [trueup plan, trueup show]\n').commands).toBe('trueup plan\ntrueup show');
  const pages = packedPages().flatMap((page) => fencesIn(page, read(page)));
  const count = pages.filter(({ language, at }) => language === 'yaml' && !at.startsWith('docs/diagnostics.md')).length;
  const [generated, others] = [yamlTrials('generated pages'), yamlTrials('other pages')];
  const ofCodes = generated.filter(({ prints }) => prints !== undefined);
  expect(generated.length + others.length - ofCodes.length).toBe(count);
  // The page of a code shows what the program says of its sample.
  expect(ofCodes.length).toBeGreaterThan(15);
  expect(ofCodes.filter(({ at, prints }) => !prints?.includes(`[${/#([\w-]+):/.exec(at)?.[1]}]`))).toEqual([]);
});
