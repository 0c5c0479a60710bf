import { homedir } from 'node:os';
import { contract, endpointOf, isOperation } from '../api/contract.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { localStore } from '../state/local.ts';
import type { Before, Candidate } from './complete.ts';
import { stateFolder } from './connect.ts';
import { loadManifest } from './load.ts';
import type { Settled } from './options.ts';
import { settleOptions } from './options.ts';

/** What only the contract, the manifest and the state know; no request is sent, and trouble gives nothing. */
export async function findValues(before: Before, name: string): Promise<readonly Candidate[]> {
  try {
    switch (name) {
      case 'operation':
        return operations();
      case 'list':
        return [...groups(), ...operations()];
      case 'members':
        return members(before.operands[0] ?? '', before.operands.slice(1));
      case 'address':
        return (await addresses(before)).map((value) => ({ value, about: '' }));
      default:
        return [];
    }
  } catch {
    return [];
  }
}

function operations(): Candidate[] {
  return Object.entries(contract).map(([value, { method }]) => ({ value, about: method }));
}

function groups(): Candidate[] {
  const names = new Set(Object.keys(contract).map((operation) => operation.split('.')[0] ?? ''));
  return [...names].map((value) => ({ value, about: 'group' }));
}

function members(operation: string, given: readonly string[]): Candidate[] {
  if (!isOperation(operation)) return [];
  const taken = given.map((word) => word.split(/:?=/)[0]);
  return Object.keys(endpointOf(operation).input.shape)
    .filter((name) => !taken.includes(name))
    .map((name) => ({ value: `${name}=`, about: '' }));
}

/** `state show` takes what is remembered; whatever else takes an address takes what is declared. */
async function addresses(before: Before): Promise<readonly string[]> {
  const settled = settle(before);
  if (before.command.name() === 'show') {
    const state = await localStore(stateFolder(settled)).read();
    return Object.keys(state?.resources ?? {});
  }
  return loadManifest(settled, createRedactor()).manifest.resources.map((resource) => resource.address);
}

function settle({ options }: Before): Settled {
  const directory = options.get('directory')?.at(-1);
  return settleOptions({
    // The shell completes the word as it is written, and has not put the home folder in yet.
    directory: directory?.replace(/^~(?=\/|$)/, homedir()) ?? '.',
    file: options.get('file')?.at(-1) ?? 'trueup.yaml',
    var: options.get('var') ?? [],
    connections: '4',
    format: 'text',
    color: false,
  });
}
