import * as z from 'zod';
import { type Endpoint, type InputOf, type OperationLine, readEndpoint } from './endpoint.ts';
import { defined } from '../formats/json.ts';
import { extensionOperations } from './extensions.ts';
import { type Names, namesOf } from './translate.ts';
import { keptIn, once, onceFor } from './once.ts';
import { documentedOperations } from './documented-operations.ts';
import { document, type Vocabulary } from './vocabulary.ts';

/** The name of an operation of the API document: `<group>.<operation>`. */
export type DocumentedOperation = keyof typeof documentedOperations;

/** The line of each operation that Trueup knows. */
type Lines = typeof documentedOperations & typeof extensionOperations;

/** The name of an operation; those beyond the document a platform may lack. */
export type Operation = keyof Lines;

/** An operation that reads: a GET. */
export type ReadOperation = {
  [Op in Operation]: Lines[Op] extends `GET${string}` ? Op : never;
}[Operation];

/** The input of an operation: every member with its type; a wrong name or value does not compile. */
export type Input<Op extends Operation> = InputOf<Lines[Op]>;

/** Every documented operation of the platform, by name: 192 in 20 groups. */
export const contract = endpointsOf<DocumentedOperation>(documentedOperations);

/** Every operation beyond the API document. */
export const extension = endpointsOf<keyof typeof extensionOperations>(extensionOperations);

/** Every operation that Trueup knows. */
const known: Readonly<Record<Operation, Endpoint>> = { ...contract, ...extension };

function endpointsOf<Name extends string>(
  lines: Readonly<Record<Name, OperationLine>>,
): Readonly<Record<Name, Endpoint>> {
  const entries = Object.entries<OperationLine>(lines).map(([name, line]) => [name, readEndpoint(line)]);
  return Object.fromEntries(entries) as Record<Name, Endpoint>; // an endpoint for each line
}

/** One operation as a platform serves it. */
export interface ServedOperation {
  /** Its path below `/api/`, such as `compose.one`; messages to users name the operation so. */
  readonly path: string;
  /** Its method, and its members by their names in Trueup. */
  readonly endpoint: Endpoint;
}

/** The operations that a platform serves, and its words. Trueup speaks the words of Dokploy; a client translates at its edge. */
export interface Contract {
  readonly profile: string;
  /** By the name in Trueup; an operation that is missing does not exist on that platform. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** undefined: the platform speaks the words of Trueup. */
  readonly names?: Names;
  /** The platform answers many reads in one GET of `/api/trpc/`, which no API document has. */
  readonly hasBatches?: boolean;
  /** true: its OpenAPI document could not be read, so whether it serves an operation that is missing here is not known. */
  readonly isAssumed?: boolean;
}

/** The words of each profile that a manifest can name; undefined: those of Trueup. */
const vocabularies = { standard: document, dokploy: undefined } satisfies Record<string, Vocabulary | undefined>;

/** A profile that a manifest can name. */
export type Profile = keyof typeof vocabularies;

/** The profiles that a manifest can name. */
export const profiles = Object.keys(vocabularies) as readonly Profile[]; // its keys are the profiles

/** The contract of a platform of a profile that serves these operations: the same object for the same. Never throws. */
export function contractOf(profile: Profile, operations: readonly Operation[]): Contract {
  return keptIn(contractsMade, [profile, ...operations].join(), () => makeContract(profile, operations));
}

const contractsMade = new Map<string, Contract>();

function makeContract(profile: Profile, operations: readonly Operation[]): Contract {
  const vocabulary = vocabularies[profile];
  const names = vocabulary === undefined ? undefined : namesOf(vocabulary);
  const served = operations.map((operation): [string, ServedOperation] => {
    return [operation, { path: names?.operation(operation) ?? operation, endpoint: endpointOf(operation) }];
  });
  const hasBatches = profile === 'dokploy';
  return defined({ profile, operations: new Map(served), hasBatches, names });
}

const documented = Object.keys(contract) as DocumentedOperation[]; // its keys are the operations
const everything = Object.keys(known) as Operation[];

/** The operations that Trueup knows beyond the API document. */
export const beyondDocument = Object.keys(extension) as (keyof typeof extension)[]; // its keys are the operations

/** The documented part of a contract, with these operations beyond the document: the same ones for the same. Never throws. */
export function serving(contract: Contract, beyond: readonly Operation[], isAssumed = false): Contract {
  const made = servedInstead(contract.operations);
  const operations = keptIn(made, beyond.join(), () => withBeyond(contract, beyond));
  return { ...contract, operations, isAssumed };
}

/** What was made from the operations of a contract, by the names of those beyond the document. */
const servedInstead = onceFor((_operations: Contract['operations']) => new Map<string, Contract['operations']>());

function withBeyond({ operations, names }: Contract, beyond: readonly Operation[]): Contract['operations'] {
  const base = [...operations].filter(([name]) => isOperation(name));
  const more = beyond.map((operation): [string, ServedOperation] => {
    return [operation, { path: names?.operation(operation) ?? operation, endpoint: endpointOf(operation) }];
  });
  return new Map([...base, ...more]);
}

/** The contracts of platforms that serve the documented operations only, by profile. */
export const contracts = contractsOf(documented);

/** The contracts of platforms that serve every operation that Trueup knows, by profile. */
export const extendedContracts = contractsOf(everything);

/** A run needs few of them: each is made when it is used first. */
function contractsOf(operations: readonly Operation[]): Readonly<Record<Profile, Contract>> {
  const standard = once(() => contractOf('standard', operations));
  const forDokploy = once(() => contractOf('dokploy', operations));
  return {
    get standard() {
      return standard();
    },
    get dokploy() {
      return forDokploy();
    },
  };
}

/** Whether a name is an operation of the API document. Never throws. */
export function isOperation(name: string): name is DocumentedOperation {
  return Object.hasOwn(contract, name);
}

/** Whether a name is an operation that Trueup knows, beyond the API document too. Never throws. */
export function isKnown(name: string): name is Operation {
  return Object.hasOwn(known, name);
}

/** The endpoint of an operation, for code that treats all operations alike. Never throws. */
export function endpointOf(operation: Operation): Endpoint {
  return known[operation];
}

/** The members that an operation cannot be sent without. Never throws. */
export function requiredMembers(operation: Operation): readonly string[] {
  return requiredOf(endpointOf(operation));
}

/** The members that cannot be left out. Never throws. */
export const requiredOf = onceFor((endpoint: Endpoint): readonly string[] => {
  const shape = Object.entries(endpoint.input.shape);
  return shape.filter(([, member]) => !z.safeParse(member, undefined).success).map(([name]) => name);
});
