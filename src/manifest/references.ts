import { childAddress, normalAddress } from '../kind/address.ts';
import type { Block } from './resource.ts';
import type { Reference } from './wanted.ts';

/**
 * Finds what `${ref:path}` means inside a block, or outside of all. The path is an address and the name of an output;
 * the address is looked for from the nearest surrounding block outwards, so `postgres.main.host` finds the one beside
 * it.
 */
export function findReference(
  path: string,
  from: Block | undefined,
  blocks: ReadonlyMap<string, Block>,
): Reference | { problem: string; remedy?: string } {
  const parts = /^(.+)\.([A-Za-z_][A-Za-z0-9_]*)$/s.exec(path);
  const written = parts?.[1] === undefined ? undefined : normalAddress(parts[1]);
  const output = parts?.[2];
  if (written === undefined || output === undefined)
    return {
      problem: `\${ref:${path}} must be an address and an output`,
      remedy:
        'Write for example ${ref:postgres.main.host}. Write a key with other characters than letters, digits, "_" and "-" as ["…"].',
    };
  for (
    let scope: string | undefined = from?.parent;
    ;
    scope = scope === undefined ? undefined : blocks.get(scope)?.parent
  ) {
    const address = scope === undefined ? written : scope + (written.startsWith('[') ? written : `.${written}`);
    const target = blocks.get(address);
    if (target !== undefined) return outputOf(target, output, path);
    if (scope === undefined) break;
  }
  const [like = ''] = blocks.keys();
  const example = from === undefined ? like : childAddress(from.parent ?? 'production', from.kind.section, from.key);
  return {
    problem: `\${ref:${path}}: there is no resource ${written}`,
    remedy: example === '' ? 'The manifest declares none.' : `Addresses look like ${example}.`,
  };
}

function outputOf(target: Block, output: string, path: string): Reference | { problem: string; remedy?: string } {
  const outputs = ['id', ...Object.keys(target.kind.outputs ?? {})];
  if (outputs.includes(output)) return { address: target.address, output };
  return {
    problem: `\${ref:${path}}: ${target.address} has no output ${output}`,
    remedy: `It has ${outputs.join(', ')}.`,
  };
}
