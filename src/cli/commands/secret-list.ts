import { someOf } from '../../diagnostics/some-of.ts';
import { type SealedProject, isSealedForAll, openSealedProject } from '../../project/sealed-secrets.ts';
import { secretVariables } from '../../project/stage-environment.ts';
import { reportFormats } from '../../render/output-format.ts';
import {
  type SecretEntry,
  type SecretsReport,
  renderSecrets,
  renderWritten,
  secretsJson,
} from '../../render/secrets.ts';
import { namesOf } from '../../secrets/generate-secret.ts';
import { type Run, defineCommand } from '../command.ts';
import { commandLine } from '../shell-command.ts';

/** The formats of a command that writes secrets. `verb` says what it did to each. */
export function writingFormats(verb: string) {
  return reportFormats<SecretsReport>({
    text: (report, { out }) => out(renderWritten(report, verb)),
    json: secretsJson,
  });
}

/** What is known of secrets without their values. */
export function entriesOf(
  { env, file: root }: Run['options'],
  { files, uses }: SealedProject,
  names: Iterable<string>,
): readonly SecretEntry[] {
  return [...names].map((name) => {
    const file = files.find((one) => one.file.values.has(name));
    const entry = { name, uses: uses.get(name) ?? [], variable: secretVariables(env, root, name).gives };
    return file === undefined ? entry : { ...entry, file: file.path, isSealedForAll: isSealedForAll(file, name) };
  });
}

/** What a command reports of the values that it wrote, by the files of their names. */
export function writtenEntries(
  options: Run['options'],
  project: SealedProject,
  written: ReadonlyMap<string, string>,
): SecretsReport {
  const secrets = entriesOf(options, project, written.keys()).map((entry) => ({
    ...entry,
    file: written.get(entry.name),
    isSealedForAll: true,
  }));
  const over = secrets.flatMap(({ variable }) => variable ?? []);
  const next = over.length === 0 ? [] : [`Unset ${someOf(over)} before you apply: it stands before the new value.`];
  return { written: [...new Set(written.values())], secrets, next };
}

/** Lists the names of secrets, their uses, the variables that stand before a file, and names in no sealed file. Needs no identity. */
export const command = defineCommand({
  examples: ['trueup secret list', 'trueup secret list -f staging.yaml --format json'],
  formats: reportFormats<SecretsReport>({
    text: (report, { out, outStyle }) => out(renderSecrets(report, outStyle)),
    json: secretsJson,
  }),
  execute: async (run, view) => {
    const { options } = run;
    const project = await openSealedProject(options);
    const sealed = project.files.flatMap(({ file }) => [...file.values.keys()]);
    const generated = [...project.generated].flatMap(([name, recipe]) => namesOf(name, recipe));
    const names = [...new Set([...sealed, ...project.uses.keys(), ...generated])].toSorted();
    const secrets = entriesOf(options, project, names);
    view.report({
      written: [],
      secrets,
      next: nextSteps(secrets, { generated, command: (words) => commandLine(run, ['secret', ...words]) }),
    });
    return 'done';
  },
});

/** How the names get values that no sealed file has, and how the values that not all recipients can open get these. */
function nextSteps(
  secrets: readonly SecretEntry[],
  {
    generated,
    command,
  }: { readonly generated: readonly string[]; readonly command: (words: readonly string[]) => string },
): readonly string[] {
  const lacking = secrets.flatMap(({ name, file, variable }) => ((file ?? variable) === undefined ? [name] : []));
  const made = lacking.filter((name) => generated.includes(name));
  const asked = lacking.filter((name) => !generated.includes(name));
  const one = asked.length === 1;
  const isStale = secrets.some(({ file, isSealedForAll: isForAll }) => file !== undefined && isForAll !== true);
  return [
    ...(made.length === 0 ? [] : [`Run ${command(['generate'])}: it makes ${someOf(made)}.`]),
    ...(asked.length === 0
      ? []
      : [
          `Run ${command(['set', one ? asked.join() : 'NAME'])}${one ? '' : ` for each of ${someOf(asked)}`}, where no other source has a value.`,
        ]),
    ...(isStale
      ? [`Run ${command(['recipients'])} with an identity that opens the values: it seals them for all.`]
      : []),
  ];
}
