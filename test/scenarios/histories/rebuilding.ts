import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop } from '../../../src/diagnostics/diagnostic.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { stateRebuildCommand } from '../../cli/asked.ts';
import { execute, recordingTerminal } from '../../support/commands.ts';
import { yamlOf } from '../../support/random-yaml.ts';
import type { Ending } from './applying.ts';
import { refused } from './applying.ts';
import { readDeclared } from './declared.ts';
import type { StepThat } from './history.ts';
import { look } from './platform.ts';
import { predict } from './prediction.ts';
import type { Memory, Run } from './run.ts';
import { same } from './same.ts';

/** Makes the state anew after it was lost, with the command for that: what is declared and there is tied, and no more. */
export async function rebuild(run: Run, { manifest: tree }: StepThat<'rebuild the state'>): Promise<Ending> {
  const { made } = run;
  const declared = readDeclared(tree);
  const prediction = predict(declared, new Map(), look(made.emulator));
  const folder = mkdtempSync(join(made.folder, 'rebuilt-'));
  mkdirSync(join(folder, '.trueup'));
  writeFileSync(join(folder, 'trueup.yaml'), yamlOf(tree));
  writeFileSync(join(folder, '.trueup', 'emulator.json'), JSON.stringify(made.emulator.world));
  try {
    same(await commandIn(folder), 'done', 'the end of trueup state rebuild');
  } catch (error) {
    if (error instanceof Stop && error.failure === 'refused') return refused(run, error, prediction);
    throw error;
  }
  const state = await localStore(join(folder, '.trueup')).read();
  rmSync(folder, { recursive: true });
  same([...prediction.errors], [], 'refusals that should have been');
  made.store.state = state;
  const tied = Object.entries(state?.resources ?? {}).map(([address, { id, pairs }]) => [address, { id, pairs }]);
  const found = declared.blocks.flatMap(({ address, kind }) => {
    const row = prediction.objects.get(address);
    return row === undefined ? [] : [[address, { id: row[kind.identity.id], pairs: {} }]];
  });
  same(Object.fromEntries(tied), Object.fromEntries(found), 'what the state is rebuilt from');
  run.memory = new Map(
    declared.blocks.flatMap(({ address, kind, options }): [string, Memory][] => {
      const id = state?.resources[address]?.id;
      if (typeof id !== 'string') return [];
      const protect = options.protect === true;
      return [[address, { kind, id, protect, pairs: {}, sets: {}, envKeys: [], taken: {}, intended: undefined }]];
    }),
  );
  return { is: 'over' };
}

function commandIn(folder: string): Promise<string> {
  return execute(stateRebuildCommand({ yes: true }), { folder, terminal: recordingTerminal().terminal });
}
