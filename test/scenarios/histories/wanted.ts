import type { Json } from '../../../src/formats/json.ts';
import { fieldOf, nullOf, steady } from '../../support/random-manifest.ts';
import type { Block, Declared } from './declared.ts';

/** What has to be on the platform, from the manifest and the rows of the platform alone. */

/** Gives a member of the row of a block; undefined while it is not known. */
export type OutputIn = (block: Block, from: string) => string | undefined;

const reference = /\$\{ref:(?<address>.+)\.(?<output>\w+)\}/;

/** The declared fields of a block with their references filled in; undefined for those that are not known. */
export function wantedFields(
  declared: Declared,
  block: Block,
  outputIn: OutputIn,
): Readonly<Record<string, Json | undefined>> {
  const { kind, parent } = block;
  const wanted: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(block.fields)) {
    const { refersTo } = fieldOf(kind, name);
    if (value === null) wanted[name] = nullOf(kind, name)?.value ?? null;
    else if (Array.isArray(value) && refersTo !== undefined)
      wanted[name] = value.map((one) => named(declared, { kind: refersTo, name: String(one) }, outputIn) ?? null);
    else if (typeof value !== 'string') wanted[name] = value;
    else if (reference.test(value)) wanted[name] = filledIn(declared, value, outputIn);
    else wanted[name] = named(declared, { kind: refersTo, name: value }, outputIn);
  }
  const { keyField } = kind.identity;
  if (keyField !== undefined && wanted[keyField] === undefined) wanted[keyField] = block.key;
  for (const [name, field] of Object.entries(kind.fields)) {
    const inherited = field.fromParent === undefined ? undefined : parent?.fields[field.fromParent];
    if (inherited !== undefined && wanted[name] === undefined) wanted[name] = inherited;
  }
  if (block.env?.is === 'text') wanted.env = block.env.text;
  // The platform renames the services of a randomized compose before it looks for one.
  const { randomize, suffix, isolatedDeployment } = parent?.fields ?? {};
  const isRenamed = randomize === true && typeof suffix === 'string' && suffix !== '' && isolatedDeployment !== true;
  if (isRenamed && typeof wanted.serviceName === 'string') wanted.serviceName += `-${suffix}`;
  return wanted;
}

/** The variables that a block declares as a map. */
export function wantedVariables(declared: Declared, { env }: Block, outputIn: OutputIn): Record<string, string> {
  if (env?.is !== 'map') return {};
  return Object.fromEntries(
    Object.entries(env.entries).map(([key, value]) => [key, String(filledIn(declared, value, outputIn))]),
  );
}

/** A text with what its reference leads to. */
function filledIn({ byAddress }: Declared, text: string, outputIn: OutputIn): string | undefined {
  const { address = '', output = '' } = reference.exec(text)?.groups ?? {};
  if (address === '') return text;
  const target = byAddress.get(address);
  if (target === undefined) throw new Error(`nothing is declared at ${address}`);
  const value = outputIn(
    target,
    output === 'id' ? target.kind.identity.id : (target.kind.outputs?.[output]?.from ?? output),
  );
  return value === undefined ? undefined : text.replace(reference, () => value);
}

/** What a name stands for where it may be that of another block, or of an object of the platform. */
function named(
  { blocks }: Declared,
  { kind, name }: { readonly kind: string | undefined; readonly name: string },
  outputIn: OutputIn,
): string | undefined {
  if (kind === undefined) return name;
  const target = blocks.find((block) => block.kind.kind === kind && block.key === name);
  if (target !== undefined) return outputIn(target, target.kind.identity.id);
  const other = steady[kind]?.find((one) => one.name === name || one.id === name);
  if (other === undefined) throw new Error(`nobody knows the ${kind} ${name}`);
  return other.id;
}
