import { type SealedProject, isSealedForAll, openSealedProject } from '../../project/sealed-secrets.ts';
import { reportFormats } from '../../render/output-format.ts';
import {
  type SecretEntry,
  type SecretsReport,
  renderSecrets,
  renderWritten,
  secretsJson,
} from '../../render/secrets.ts';
import { envSecrets } from '../../secrets/sources/env.ts';
import { defineCommand } from '../command.ts';

/** The formats of a command that writes secrets. `verb` says what it did to each. */
export function writingFormats(verb: string) {
  return reportFormats<SecretsReport>({
    text: (report, { out }) => out(renderWritten(report, verb)),
    json: secretsJson,
  });
}

/** What is known of secrets without their values. */
export function entriesOf({ files, uses }: SealedProject, names: Iterable<string>): readonly SecretEntry[] {
  return [...names].map((name) => {
    const file = files.find((one) => one.file.values.has(name));
    const entry = { name, uses: uses.get(name) ?? [] };
    return file === undefined ? entry : { ...entry, file: file.path, isSealedForAll: isSealedForAll(file) };
  });
}

/** What a command reports of the values that it wrote, by the files of their names. */
export function writtenEntries(
  project: SealedProject,
  written: ReadonlyMap<string, string>,
): Pick<SecretsReport, 'written' | 'secrets'> {
  const secrets = entriesOf(project, written.keys()).map((entry) => ({
    ...entry,
    file: written.get(entry.name),
    isSealedForAll: true,
  }));
  return { written: [...new Set(written.values())], secrets };
}

/** Lists the names of secrets, their uses, and those that no sealed file has. Needs no identity. */
export const command = defineCommand({
  examples: ['trueup secret list', 'trueup secret list -f staging.yaml --format json'],
  formats: reportFormats<SecretsReport>({
    text: (report, { out, outStyle }) => out(renderSecrets(report, outStyle)),
    json: secretsJson,
  }),
  execute: async ({ options }, view) => {
    const project = await openSealedProject(options);
    const inEnvironment = envSecrets(options.env);
    const sealed = project.files.flatMap(({ file }) => [...file.values.keys()]);
    const wanted = [...project.uses.keys()].filter((name) => inEnvironment(name) === undefined);
    const names = [...new Set([...sealed, ...wanted])].toSorted();
    view.report({ written: [], secrets: entriesOf(project, names), next: [] });
    return 'done';
  },
});
