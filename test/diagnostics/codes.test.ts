import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderDiagnosticDocs } from '../../scripts/docs/diagnostic-docs.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { manifests } from './in-manifests.ts';
import { provokeAll } from './provocations.ts';

/** Every code is used, explained, and shown by an example that a run reported. */

const root = resolve(import.meta.dirname, '../..');
const names = Object.keys(codes) as Code[];

describe('the table of codes', () => {
  it('has no code that nothing reports', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && path !== 'diagnostics/codes.ts')
      .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
      .join('\n');
    expect(names.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  it.each(names)('explains %s in sentences, with a remedy', (name) => {
    const { meaning, remedy } = codes[name];
    for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the page of codes', () => {
  let examples: ReadonlyMap<Code, Diagnostic>;
  beforeAll(async () => {
    examples = await provokeAll();
  }, 120_000);

  it.each(names)('shows an example of %s that a run reported', (name) => {
    expect(examples.get(name)).toMatchObject({ code: name, severity: codes[name].severity });
  });

  it('is the one that npm run generate writes', () => {
    const page = readFileSync(join(root, 'docs/diagnostics.md'), 'utf8');
    expect(page).toBe(renderDiagnosticDocs(examples, manifests));
  });

  it('is not written for a code without an example', () => {
    expect(() => renderDiagnosticDocs(new Map([...examples].slice(1)), manifests)).toThrow('has no example');
  });
});
