import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { diagnosticResults, diagnosticRules } from '../../src/render/finding-views.ts';
import { sarifLog } from '../../src/render/sarif.ts';

const site = { key: 'abc', folder: 'infra/', file: 'trueup.yaml' };
const log = (diagnostics: readonly Diagnostic[]) => {
  const run = { command: 'validate', results: diagnosticResults(diagnostics), isSuccessful: false };
  return sarifLog(run, diagnosticRules, site);
};

const unknownKey: Diagnostic = {
  code: 'unknown-key',
  severity: 'error',
  message: 'unknown key prot',
  remedy: 'Did you mean port?',
  address: 'production.compose.shop',
  position: { file: 'apps/a b.yaml', line: 4, column: 3, endColumn: 7 },
};

describe('diagnostics as SARIF', () => {
  it('have a rule with a page, a line in the repository and a fingerprint', () => {
    expect(log([unknownKey])).toEqual({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'Trueup',
              informationUri: 'https://unpkg.com/trueup/docs/README.md',
              rules: [
                {
                  id: 'unknown-key',
                  shortDescription: {
                    text: 'The manifest, or the input of a call, has a key that does not exist there.',
                  },
                  fullDescription: {
                    text: 'The manifest, or the input of a call, has a key that does not exist there. Correct the key. The pages under docs/kinds list the keys of each kind.',
                  },
                  help: {
                    text: 'The manifest, or the input of a call, has a key that does not exist there.\nCorrect the key. The pages under docs/kinds list the keys of each kind.',
                  },
                  helpUri: 'https://unpkg.com/trueup/docs/diagnostics.md#unknown-key',
                  defaultConfiguration: { level: 'error' },
                },
              ],
            },
          },
          automationDetails: { id: 'trueup/validate/abc/' },
          invocations: [{ executionSuccessful: false }],
          columnKind: 'utf16CodeUnits',
          originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
          results: [
            {
              ruleId: 'unknown-key',
              ruleIndex: 0,
              level: 'error',
              message: { text: 'production.compose.shop: unknown key prot\nDid you mean port?' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'infra/apps/a%20b.yaml', uriBaseId: '%SRCROOT%' },
                    region: { startLine: 4, startColumn: 3, endColumn: 7 },
                  },
                },
              ],
              partialFingerprints: {
                primaryLocationLineHash: 'unknown-key production.compose.shop',
                'trueup/v1': 'unknown-key production.compose.shop',
              },
            },
          ],
        },
      ],
    });
  });

  it('follow the schema', () => {
    for (const diagnostics of [[], [unknownKey, { ...unknownKey, severity: 'note' as const }], hostile]) {
      expect(validate(log(diagnostics)), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it('without a place stand at the first line of the manifest', () => {
    const { position: _position, ...placeless } = unknownKey;
    const outside = { ...unknownKey, position: { file: '../../x.yaml', line: 4, column: 3 } };
    for (const one of [placeless, outside]) {
      expect(JSON.stringify(log([one]))).toContain(
        '"artifactLocation":{"uri":"infra/trueup.yaml","uriBaseId":"%SRCROOT%"},"region":{"startLine":1}',
      );
    }
  });

  it('keep their fingerprints when lines and files change, and equal ones differ', () => {
    const fingerprints = (all: readonly Diagnostic[]) => diagnosticResults(all).map(({ fingerprint }) => fingerprint);
    const moved = { ...unknownKey, position: { file: 'other.yaml', line: 9, column: 1 } };
    expect(fingerprints([moved, unknownKey])).toEqual(fingerprints([unknownKey, moved]));
    expect(new Set(fingerprints([unknownKey, moved])).size).toBe(2);
  });

  it('hold no embedded link and no control character', () => {
    const text = JSON.stringify(log(hostile));
    expect(text).not.toContain('](');
    expect(text).toContain(String.raw`\\x1b`);
  });
});

const hostile: readonly Diagnostic[] = [
  { ...unknownKey, message: 'a [link](javascript:alert(1)) {0} \u001b[31m\u202e \ud800', address: 'a["](x)"]' },
];

/** The parts of SARIF 2.1.0 that Trueup writes: names, types and what is required are those of the published schema. */
const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: object) => ({ type: 'array', items });
const message = object({ text }, ['text']);
const level = { enum: ['none', 'note', 'warning', 'error'] };
const positive = { type: 'integer', minimum: 1 };
const rule = object(
  {
    id: text,
    shortDescription: message,
    fullDescription: message,
    help: message,
    helpUri: { type: 'string', pattern: '^https://[!-~]+$' },
    defaultConfiguration: object({ level }),
  },
  ['id'],
);
const location = object({
  physicalLocation: object({
    artifactLocation: object({ uri: { type: 'string', pattern: "^[\\w.~%/!'()*-]+$" }, uriBaseId: text }),
    region: object({ startLine: positive, startColumn: positive, endColumn: positive }),
  }),
});
const result = object(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: list(location),
    partialFingerprints: { type: 'object', additionalProperties: text },
    baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
    suppressions: list(
      object(
        {
          kind: { enum: ['inSource', 'external'] },
          status: { enum: ['accepted', 'underReview', 'rejected'] },
          justification: text,
        },
        ['kind'],
      ),
    ),
  },
  ['message'],
);
const run = object(
  {
    tool: object({ driver: object({ name: text, informationUri: text, rules: list(rule) }, ['name']) }, ['driver']),
    automationDetails: object({ id: text }),
    invocations: list(object({ executionSuccessful: { type: 'boolean' } }, ['executionSuccessful'])),
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    originalUriBaseIds: { type: 'object', additionalProperties: object({ description: message }) },
    results: list(result),
  },
  ['tool'],
);
const validate = new Ajv().compile(
  object({ $schema: text, version: { const: '2.1.0' }, runs: list(run) }, ['version', 'runs']),
);
