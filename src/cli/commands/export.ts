import { defined } from '../../formats/json.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Stop, stop } from '../../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../../diagnostics/disk-errors.ts';
import { type TerraformState, maxStateBytes, onlyProject, readTerraformState } from '../../export/terraform.ts';
import type { NamedPlatform } from '../../api/profile.ts';
import { resolveAddress } from '../../kind/aliases.ts';
import { withoutBlocks } from '../../manifest/manifest.ts';
import { type Settings, platformAt } from '../../manifest/settings.ts';
import { exportProject } from '../../export/export-project.ts';
import { loadWithSecrets } from '../../project/load.ts';
import { checkAddresses } from '../../project/platform-address.ts';
import { stateFolder } from '../../project/state-location.ts';
import { findTarget } from '../../project/target.ts';
import { leavingNothing } from '../../project/write-files.ts';
import { makeFolders } from '../../state/disk.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type ExportReport, exportJson, renderExport } from '../../render/export-report.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';
import { withLock } from '../locked.ts';
import { usage } from '../settle-options.ts';
import { secretValues } from '../option-sets.ts';

/** The formats of `export`. */
export const exportFormats = reportFormats<ExportReport>({
  text: (report, { out, outStyle }) => out(renderExport(report, outStyle)),
  json: exportJson,
});

const options = {
  '--out <dir>': 'folder of the new manifest (default: the current one)',
  '--url <url>': 'address of the platform, where no manifest and no TRUEUP_URL names it',
  '--project <id>': 'id or name of the project, where no manifest names it',
  '--unmanaged': 'beside a manifest that is there: add what it does not manage, and leave the rest as it is',
  '--address <address>': 'add one object, with all below it, to the manifest that is there',
  ...secretValues,
  '--from-terraform <file>': 'name blocks like the addresses of a Terraform state, and say what differs',
  '--force': 'replace files that are there',
} as const satisfies Options;

type ExportFlags = FlagsOf<typeof options>;

/** Writes what the platform has as a manifest, with its state. Sends GETs only. */
export const command = defineCommand({
  options,
  examples: [
    'trueup export --url https://deploy.example.com --project prj_1',
    'trueup export --from-terraform terraform.tfstate',
    'trueup export --out infra --with-secrets infra/secrets.env',
    'trueup export --unmanaged',
    'trueup export --address production.compose.shop',
    'trueup export --with-secrets secrets.env.age --age-recipient age1…',
  ],
  formats: exportFormats,
  execute: (run, view, { flags }) => runExport(run, view, flags),
});

/** Runs an export, for `export` and `init`. */
export async function runExport(run: Run, view: ReportView<ExportReport>, flags: ExportFlags): Promise<Exit> {
  const { process, options } = run;
  const folder = flags.out === undefined ? options.folder : resolve(process.cwd(), flags.out);
  const stateAt = stateFolder({ ...options, folder });
  return leavingNothing({ folder, stateFolder: stateAt }, () => exportInto(run, view, flags));
}

/**
 * Reads a Terraform state.
 *
 * @throws {Stop} `refused`, when the file cannot be read, is too large, or is none.
 */
async function terraformOf(run: Run, { fromTerraform: file }: ExportFlags): Promise<TerraformState | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(run.process.cwd(), file);
  const found = await stat(path).catch((error: unknown) => {
    const remedy = remedyForDisk(error);
    if (remedy !== undefined) throw usage(`${file} cannot be read (${reasonOf(error)})`, remedy);
    return undefined;
  });
  if (found?.isFile() !== true) throw usage(`there is no file ${file}`, 'terraform state pull > FILE writes one.');
  if (found.size > maxStateBytes) {
    const message = `${file} has ${found.size} bytes, and a Terraform state may have ${maxStateBytes}`;
    throw stop('refused', 'too-large', message);
  }
  return readTerraformState(await readFile(path, 'utf8'), file);
}

async function exportInto(run: Run, view: ReportView<ExportReport>, flags: ExportFlags): Promise<Exit> {
  const { process } = run;
  const terraform = await terraformOf(run, flags);
  const place = await placeOf(run, flags, terraform);
  const options = { ...run.options, folder: place.folder };
  const { manifest, secret } = await present({ ...run, options });
  const settings = manifest?.settings ?? place.settings;
  const { withSecrets, ageRecipient: recipients = [], force = false } = flags;
  const isAnother =
    settings.project !== place.settings.project || settings.platform.url !== place.settings.platform.url;
  if (force && isAnother) {
    throw usage(
      `the manifest in ${place.folder} is of project ${settings.project}, or of another platform`,
      'Export into another folder with --out.',
    );
  }
  const secretsFile = withSecrets === undefined ? undefined : resolve(process.cwd(), withSecrets);
  const address = flags.address === undefined ? undefined : resolveAddress(flags.address);
  return withLock({ ...run, options }, manifest ?? withoutBlocks(settings), {
    purpose: 'export',
    work: async ({ connection }) => {
      const how = { force, secretsFile, recipients, address, terraform, unmanaged: flags.unmanaged === true };
      const about = { connection, options, how, ...defined({ secret }) };
      const result = await exportProject(manifest, settings, about);
      run.warn(result.warnings);
      view.report({
        ...result,
        notes: result.notes.map((note) => ({ ...note, message: options.redactor.redact(note.message) })),
        project: settings.project,
        folder: options.folder,
        counts: connection.client.counts,
      });
      return 'done';
    },
  });
}

/** The manifest that is there, with the values of its secrets; nothing without one. */
async function present(run: Run): Promise<Partial<Awaited<ReturnType<typeof loadWithSecrets>>>> {
  const { folder, file } = run.options;
  return existsSync(join(folder, file)) ? loadFor(run, loadWithSecrets) : {};
}

/** The folder of the new manifest, and the platform and project of a manifest that is not there yet. */
async function placeOf(run: Run, { out, url, project }: ExportFlags, terraform: TerraformState | undefined) {
  const { options, process } = run;
  const folder = out === undefined ? options.folder : resolve(process.cwd(), out);
  const found = url === undefined ? await findTarget(options) : undefined;
  const platform = url === undefined ? found?.platform : readPlatform(url);
  const projectId = project ?? found?.project ?? (terraform === undefined ? undefined : onlyProject(terraform));
  if (platform === undefined || projectId === undefined) {
    throw usage(
      'the project is not known',
      'Give --project with its name, or with its id, which stands in the address of its page.',
    );
  }
  if (platform.emulator && folder !== options.folder) {
    throw usage('the embedded emulator belongs to the folder of its manifest', 'Export into that folder.');
  }
  const settings: Settings = {
    platform,
    project: projectId,
    state: undefined,
    moved: [],
    secrets: [],
    generated: new Map(),
  };
  const hostile = checkAddresses(settings, options);
  if (hostile.length > 0) throw new Stop('manifest', hostile);
  await makeFolders(folder);
  return { folder, settings };
}

/** The platform at an address of the command line. */
export function readPlatform(url: string): NamedPlatform {
  const platform: NamedPlatform | undefined = url === 'emulator' ? { emulator: true } : platformAt(url);
  if (platform !== undefined) return platform;
  // One with a user has a password: it is not said again.
  const shown = /[@?#]/.test(url) ? 'what was given' : JSON.stringify(url);
  throw usage(`${shown} is no address of a platform`, 'Write https://…, without user, query and fragment.');
}
