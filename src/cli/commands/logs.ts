import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { idMember } from '../../kind/wire.ts';
import { readRow } from '../../observe/read-row.ts';
import { logsJson, renderLog } from '../../render/logs.ts';
import { kinds } from '../../resources/index.ts';
import { knowingInput } from '../../secrets/call-secrets.ts';
import { findObjects, readState } from '../addressed.ts';
import { checkInput } from '../call-check.ts';
import { openPlatform } from '../connect.ts';
import type { Command } from '../run.ts';
import { printJson } from '../run.ts';
import { findTarget } from '../target.ts';

/** What `logs` can be told. */
export interface LogsFlags {
  readonly id?: string;
  readonly tail?: string;
  readonly since?: string;
  readonly search?: string;
  readonly showSecrets?: true;
}

/** Prints the log of a service, where the platform documents one. */
export function logsCommand(address: string, flags: LogsFlags): Command {
  const { id: givenId, tail, since, search, showSecrets } = flags;
  return async ({ options, terminal, redactor }) => {
    const target = findTarget(options);
    const [object] = findObjects(options, await readState(options, target), { addresses: [address], givenId });
    if (object === undefined) throw new Error('an address was neither found nor refused');
    const { kind, id } = object;
    if (kind.logs === undefined) {
      const others = kinds.filter(({ logs }) => logs !== undefined).map((other) => other.kind);
      throw new Stop('refused', [
        diagnostic('cannot-change', `the platform documents no log of a ${kind.kind}`, {
          address: object.address,
          remedy: `It documents that of: ${others.join(', ')}. trueup status shows how a service is.`,
        }),
      ]);
    }
    const input = {
      [idMember(kind, kind.logs)]: id,
      ...(tail === undefined ? {} : { tail: /^\d+$/.test(tail) ? Number(tail) : tail }),
      ...(since === undefined ? {} : { since }),
      ...(search === undefined ? {} : { search }),
    };
    const wrong = checkInput(kind.logs, input);
    if (wrong.length > 0) throw new Stop('usage', wrong);
    const { client, close } = await openPlatform(target.platform, { options, redactor, terminal, purpose: 'logs' });
    try {
      // The secrets of the service, so that its log does not print them.
      const row = showSecrets === true ? {} : ((await readRow(client, kind, id)) ?? {});
      // Somebody waits for it: that nothing runs is not asked again.
      const answer = await client.invoke(kind.logs, input, { mostErrors: 1 });
      const log = knowingInput(redactor, row).redact(typeof answer === 'string' ? answer : '');
      if (options.isJson) printJson(terminal, logsJson(object.address, log));
      else terminal.out(renderLog(log, terminal.outStyle));
      return 'done';
    } finally {
      await close();
    }
  };
}
