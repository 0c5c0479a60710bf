import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { diagnosticCases } from '../../src/render/finding-views.ts';
import { junitXml } from '../../src/render/junit.ts';
import { planJunit } from '../../src/render/plan-junit.ts';
import { printed } from '../../src/render/printable.ts';
import { plainStyle } from '../../src/render/style.ts';
import { documentOf } from '../support/documents.ts';
import { compose, planOf, postgres, secret } from './markdown-plans.ts';

const site = { key: 'abc', folder: 'infra/', file: 'trueup.yaml' };

describe('a report in the form of JUnit', () => {
  it('has a case for each resource of a plan, with what changes; an error is a failure', async () => {
    const plan = await planOf(
      postgres('postgres:17') + compose('nginx:1', `API_KEY: ${secret}, P: x`),
      postgres('postgres:17').replace(' }', ', appName: store }') + compose('nginx:1', `API_KEY: ${secret}2, P: y`),
    );
    const id = plan.actions.find(({ kind }) => kind.kind === 'postgres')?.id ?? '';
    expect(id).not.toBe('');
    const text = planJunit(documentOf(plan), site, plainStyle);
    expect(text.replaceAll(/postgres(?:-[a-z0-9]+){4,}/g, 'NAME')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trueup plan" tests="5" failures="1" errors="0" skipped="0" time="0">
  <testsuite name="trueup plan" tests="5" failures="1" errors="0" skipped="0" time="0">
    <testcase classname="environment" name="production" file="infra/trueup.yaml" time="0"/>
    <testcase classname="postgres" name="production.postgres.main" file="infra/trueup.yaml" time="0">
      <failure message="appName: the platform has another value, and it cannot be changed: the platform never changes an internal name; remove appName, or create a new service" type="cannot-change">error[cannot-change] trueup.yaml:7:130 production.postgres.main
appName: the platform has another value, and it cannot be changed: the platform never changes an internal name; remove appName, or create a new service
  -&#62; Write &#34;NAME&#34;, as the platform has it, or leave the line out.</failure>
    </testcase>
    <testcase classname="compose" name="production.compose.shop" file="infra/trueup.yaml" time="0">
      <system-out>~ production.compose.shop: update
    ~ env.API_KEY: (sensitive -&#62; sensitive)
    env.P: x -&#62; y</system-out>
    </testcase>
    <testcase classname="compose" name="production.compose.shop (deploy)" file="infra/trueup.yaml" time="0">
      <system-out>  ^ deploy: restarts with env.API_KEY, env.P</system-out>
    </testcase>
    <testcase classname="note" name="unused-env production.compose.shop" file="infra/trueup.yaml" time="0">
      <system-out>note[unused-env] trueup.yaml:9:7 production.compose.shop
env: API_KEY, P reach no service: the compose file does not use them
  9 |       shop:
    |       ^^^^
  -&#62; Write API_KEY: \${API_KEY} under environment: of a service, or env_file: .env for all.</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
    expect(text).not.toContain('canary');
  });

  it('is well-formed XML 1.0 with hostile names, and names each case once', () => {
    const hostile = [
      '</failure></testcase>',
      ']]>',
      '<![CDATA[ & " \' &#0; &lt;',
      '\u0000\u0001\u0008\u000b\u001b[31m\ufffe\uffff\ud800',
      '\u202e ##[error] ::error::x',
      'a\nb\r\n\tc',
      '<?x?><!-- -- -->',
    ];
    const items = hostile.flatMap((name): Diagnostic[] => {
      const one = { code: 'unknown-key' as const, message: name, details: [name], remedy: name, address: name };
      const position = { file: name, line: 1, column: 1 };
      return [
        { ...one, severity: 'error', position },
        { ...one, severity: 'error' },
        { ...one, severity: 'warning' },
      ];
    });
    const skipped = { group: 'x', name: 'y', problem: { is: 'skipped' as const, message: '"<&' } };
    const text = printed(junitXml('trueup validate', [...diagnosticCases(items, site), skipped]));
    const elements = parseXml(text);
    const cases = elements.filter(({ name }) => name === 'testcase');
    expect(cases).toHaveLength(22);
    expect(new Set(cases.map(({ attributes }) => `${attributes['classname']} ${attributes['name']}`)).size).toBe(22);
    expect(elements.filter(({ name }) => name === 'failure')).toHaveLength(14);
    expect(elements[0]?.attributes).toEqual({
      name: 'trueup validate',
      tests: '22',
      failures: '14',
      errors: '0',
      skipped: '1',
      time: '0',
    });
    expect(cases[0]?.attributes['name']).toBe('unknown-key </failure></testcase>');
  });
});

interface Element {
  readonly name: string;
  readonly attributes: Record<string, string>;
}

/** Reads XML without comments, CDATA and instructions, and refuses what is not well-formed. */
function parseXml(text: string): Element[] {
  // eslint-disable-next-line no-control-regex -- the characters that XML 1.0 forbids
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/);
  expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')).toBe(true);
  const elements: Element[] = [];
  const open: string[] = [];
  const body = text.slice(text.indexOf('?>') + 2);
  const token = /<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  let at = 0;
  for (const [all, end, name = '', attributes = '', empty, content] of body.matchAll(token)) {
    at += all.length;
    for (const reference of (content ?? attributes).matchAll(/&[^;]*;?/g)) {
      expect(reference[0]).toMatch(/^&#(?:38|60|62|34|39);$/);
    }
    if (content !== undefined) continue;
    if (end === '/') expect(open.pop()).toBe(name);
    else {
      if (empty !== '/') open.push(name);
      const pairs = [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)];
      const decode = (value: string) =>
        value.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
      elements.push({ name, attributes: Object.fromEntries(pairs.map(([, key, value = '']) => [key, decode(value)])) });
    }
  }
  expect(at).toBe(body.length);
  expect(open).toEqual([]);
  return elements;
}
