import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { openWorkspace } from '../manifest/workspace.ts';
import type { Validated } from '../reconcile.ts';
import { validate } from '../reconcile.ts';
import { kinds } from '../resources/index.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { envSecrets } from '../secrets/sources/env.ts';
import type { Settled } from './options.ts';
import { usage } from './options.ts';
import { checkAddress } from './platform-address.ts';

/** Reads and checks the manifest that the command line names. Nothing is requested. */
export function loadManifest(options: Settled, redactor: Redactor): Validated {
  const { folder, file, variables } = options;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw usage(`there is no folder ${folder}`);
  if (!existsSync(join(folder, file))) {
    throw new Stop('manifest', [
      diagnostic('file-unreadable', `there is no file ${file} in ${folder}`, {
        remedy: 'Name the folder of the manifest with -C, or the file in it with -f.',
      }),
    ]);
  }
  const { env } = process;
  const validated = validate({
    workspace: openWorkspace(folder),
    file,
    kinds,
    env: (name) => env[name],
    secret: envSecrets(env),
    given: (name) => variables.get(name) ?? env[`TRUEUP_VAR_${name}`],
    conceal: redactor.add,
  });
  const { settings } = validated.manifest;
  const known = [...settings.variables.keys()];
  for (const name of variables.keys()) {
    if (known.includes(name)) continue;
    throw usage(
      `--var ${name}: the manifest declares no variable of this name`,
      `It declares ${known.join(', ') || 'none'}.`,
    );
  }
  const hostile = checkAddress(settings.platform);
  if (hostile.length > 0) throw new Stop('manifest', hostile);
  return validated;
}
