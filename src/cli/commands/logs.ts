import { projectOf } from '../../state/bound.ts';
import { kindsThere } from '../../kind/kinds-on.ts';
import { serveRemembered } from '../../observe/capabilities.ts';
import { findObjects, objectsOn, readStateOf } from '../../operate/addressed.ts';
import { logRequest, readLog } from '../../operate/logs.ts';
import type { LogsView } from '../../render/formats/logs.ts';
import { logsFormats } from '../../render/formats/logs.ts';
import type { Command } from '../command.ts';
import { openPlatform } from '../connect.ts';
import { readSince, requireRaw } from '../options.ts';
import { declaredResources } from '../../project/load.ts';
import { openStore } from '../../project/open-store.ts';
import { findTarget } from '../../project/target.ts';

/** The options of `logs`. */
export interface LogsFlags {
  readonly id?: string;
  readonly tail?: string;
  readonly since?: string;
  readonly search?: string;
  readonly deployment?: string | true;
  readonly showSecrets?: true;
  readonly raw?: true;
}

/** Prints the log of a service, where the platform documents one. */
export function logsCommand(address: string, flags: LogsFlags): Command<LogsView> {
  return {
    formats: logsFormats,
    execute: async (run, view) => {
      const { options, terminal } = run;
      const { kinds } = options;
      const raw = flags.raw === true ? requireRaw(view.raw) : undefined;
      const target = await findTarget(options);
      const state = await readStateOf(target.project, openStore(target.state, options));
      const [object] = await findObjects({
        kinds,
        state,
        declared: () => declaredResources(options),
        addresses: [address],
        givenId: flags.id,
      });
      if (object === undefined) throw new Error('an address was neither found nor refused');
      const since = flags.since === undefined ? undefined : readSince(flags.since);
      logRequest(object, { ...flags, since }, kinds);
      const { client, close } = await openPlatform(target, { options, terminal, purpose: 'logs' });
      try {
        serveRemembered(client, state);
        const kindsOnPlatform = kindsThere(kinds, client.contract);
        const [known = object] = objectsOn([object], kindsOnPlatform);
        const request = logRequest(known, { ...flags, since }, kindsOnPlatform);
        const showsSecrets = flags.showSecrets === true;
        const project = state === undefined ? target.project : projectOf(state);
        const log = await readLog(client, request, { addSecret: options.redactor.add, showsSecrets, kinds, project });
        if (raw === undefined) view.log(object.address, log);
        else raw(log);
        return 'done';
      } finally {
        await close();
      }
    },
  };
}
