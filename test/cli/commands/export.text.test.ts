import { expect, it } from 'vitest';
import { exportFormats } from '../../../src/cli/commands/export.ts';
import { diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import type { ExportReport } from '../../../src/render/export-report.ts';
import { recordingTerminal } from '../../support/commands.ts';

/** The text about an export with so many secrets. */
function textOf(count: number, secretsFile?: string, notes: ExportReport['notes'] = []): string {
  const { printed, terminal } = recordingTerminal();
  const view = exportFormats.text(terminal);
  view.report({
    project: 'prj_1',
    folder: '/infra',
    blocks: new Map([['production', 'environment']]),
    files: ['trueup.yaml'],
    toAdd: undefined,
    secrets: Array.from({ length: count }, (_none, at) => ({ name: `S${at}`, usedBy: ['production'] })),
    secretsFile,
    isSecretsFileNamed: true,
    isSecretsFileSealed: false,
    warnings: [],
    notes,
    isEmpty: true,
    counts: { reads: 1, writes: 0 },
  });
  return printed.out;
}

it('counts secrets in words that fit their number', () => {
  expect(textOf(1)).toContain('1 secret, listed in secrets.env.example. --with-secrets FILE writes its value too.\n');
  expect(textOf(2)).toContain(
    '2 secrets, listed in secrets.env.example. --with-secrets FILE writes their values too.\n',
  );
  expect(textOf(1, 'secrets.env')).toContain('1 secret, listed in secrets.env.example; its value is in secrets.env.');
  expect(textOf(2, 'secrets.env')).toContain('; their values are in secrets.env. Keep it out of git.\n');
  expect(textOf(2, 'secrets.env.age')).toContain(
    '; their values are in secrets.env.age, encrypted: it can be in git.\n',
  );
});

it('says of no object that is exported that it was left out', () => {
  const notes = [
    diagnostic('not-in-both', 'on the platform, and not in the Terraform state: production.compose.shop'),
    diagnostic('not-exported', 'it was not read', { address: 'webServer' }),
  ];
  expect(textOf(0, undefined, notes)).toContain(
    '\nNot the same as in the Terraform state:\n' +
      '  on the platform, and not in the Terraform state: production.compose.shop\n' +
      '\nLeft out, and left alone:\n  webServer: it was not read\n',
  );
});
