import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract, contracts, endpointOf, extendedContracts, isOperation } from '../../src/api/contract.ts';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { document } from '../../src/api/vocabulary.ts';

/** The API document in machine form: what this project promises to know of the platform. */
interface DocumentedField {
  readonly name: string;
  readonly in: 'query' | 'body';
  readonly required: boolean;
  readonly type: string | null;
  readonly nullable: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly objectFields?: Readonly<Record<string, string>>;
}

interface DocumentedEndpoint {
  readonly group: string;
  readonly operation: string;
  readonly method: string;
  readonly openEnded: boolean;
  readonly fields: readonly DocumentedField[];
}

interface Document {
  readonly totals: { readonly all: number; readonly fields: number; readonly groups: number };
  readonly endpoints: readonly DocumentedEndpoint[];
  readonly patterns: Readonly<Record<string, { readonly regex?: string; readonly format?: string }>>;
}

/** The words of Trueup by those of the document; the name of a git host is both a group and a value. */
const ours = new Map(
  [document.groups, document.operations, document.members, ...Object.values(document.values)].flatMap((words) =>
    Object.entries(words).map(([word, other]) => [other, word] as const),
  ),
);
const text = readFileSync(new URL('../fixtures/contract.json', import.meta.url), 'utf8');
const documented = JSON.parse(text.replaceAll(/\b[A-Za-z]\w*\b/g, (word) => ours.get(word) ?? word)) as Document;

const databases = ['mariadb.update', 'postgres.update', 'redis.update'];
const bitbucketWrites = ['bitbucket.create', 'bitbucket.testConnection', 'bitbucket.update'];
const gitlabWrites = ['gitlab.create', 'gitlab.update'];

/** Every member whose type the document leaves open: the type chosen, and why. */
const chosenTypes: readonly {
  readonly names: readonly string[];
  readonly in: readonly string[];
  readonly type: string;
  readonly nullable: boolean;
  readonly why: string;
}[] = [
  {
    names: ['secret', 'groupName', 'redirectUri', 'applicationId'],
    in: gitlabWrites,
    type: 'string',
    nullable: false,
    why: 'text columns; "fields without a type are strings" in the sibling operations',
  },
  {
    names: ['gitProviderId'],
    in: ['gitlab.create', 'bitbucket.create'],
    type: 'string',
    nullable: false,
    why: 'an identifier',
  },
  {
    names: ['applicationId'],
    in: ['application.saveGitlabProvider', 'application.saveGiteaProvider'],
    type: 'string',
    nullable: false,
    why: 'an identifier',
  },
  { names: ['bitbucketId'], in: ['bitbucket.create'], type: 'string', nullable: false, why: 'an identifier' },
  { names: ['organizationId'], in: ['bitbucket.update'], type: 'string', nullable: false, why: 'an identifier' },
  {
    names: ['bitbucketUsername', 'appPassword', 'apiToken'],
    in: bitbucketWrites,
    type: 'string',
    nullable: false,
    why: 'text columns; the platform refuses null',
  },
  {
    names: ['bitbucketWorkspaceName'],
    in: ['bitbucket.create', 'bitbucket.update'],
    type: 'string',
    nullable: false,
    why: 'a text column; the platform refuses null',
  },
  { names: ['workspaceName'], in: ['bitbucket.testConnection'], type: 'string', nullable: false, why: 'a name' },
  { names: ['icon'], in: ['compose.update'], type: 'string', nullable: true, why: 'an image as text' },
  {
    names: ['watchPaths'],
    in: [
      'compose.update',
      'application.saveGithubProvider',
      'application.saveGitlabProvider',
      'application.saveBitbucketProvider',
      'application.saveGiteaProvider',
    ],
    type: 'array<string>',
    nullable: true,
    why: 'saveGitProvider gives the type of the same member',
  },
  {
    names: ['serviceNetworks'],
    in: ['compose.update'],
    type: 'array<object>',
    nullable: true,
    why: 'as the platform validates it',
  },
  {
    names: ['args', 'networkIds'],
    in: databases,
    type: 'array<string>',
    nullable: true,
    why: 'lists of words and ids',
  },
  {
    names: [
      'healthCheckSwarm',
      'restartPolicySwarm',
      'placementSwarm',
      'updateConfigSwarm',
      'rollbackConfigSwarm',
      'modeSwarm',
      'labelsSwarm',
      'endpointSpecSwarm',
    ],
    in: databases,
    type: 'object',
    nullable: true,
    why: "the container engine's shape, as the platform validates it",
  },
  {
    names: ['networkSwarm', 'ulimitsSwarm'],
    in: databases,
    type: 'array<object>',
    nullable: true,
    why: "the container engine's shape, as the platform validates it",
  },
  { names: ['stopGracePeriodSwarm'], in: databases, type: 'number', nullable: true, why: 'nanoseconds' },
  {
    names: ['metadata'],
    in: ['backup.create', 'backup.update'],
    type: 'anything',
    nullable: true,
    why: 'a JSON column whose shape depends on the type of the backup',
  },
  { names: ['type'], in: ['mounts.update'], type: 'string', nullable: false, why: 'the values of mounts.create' },
  { names: ['serviceType'], in: ['mounts.update'], type: 'string', nullable: false, why: 'the values of ServiceType' },
  {
    names: ['hostPath', 'volumeName', 'filePath', 'content'],
    in: ['mounts.update'],
    type: 'string',
    nullable: true,
    why: 'as in mounts.create; null clears what the new type does not use',
  },
  {
    names: ['middlewares'],
    in: ['domain.create', 'domain.update'],
    type: 'array<string>',
    nullable: true,
    why: 'names of middlewares',
  },
  {
    names: ['domains', 'configFiles'],
    in: ['ai.deploy'],
    type: 'anything',
    nullable: true,
    why: 'nothing is known of them, and nothing here uses them',
  },
];

const chosen = new Map(
  chosenTypes.flatMap((row) => row.in.flatMap((at) => row.names.map((name) => [`${at} ${name}`, row] as const))),
);

/** Members that the document calls required although it gives them a default: the platform fills the default in. */
const filledIn = new Set(['application.saveGithubProvider triggerType']);

/** What both sides say of one member. */
interface Facts {
  readonly required: boolean;
  readonly type: string;
  readonly nullable: boolean;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly pattern: string | undefined;
  readonly format: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly default: unknown;
  readonly members: Readonly<Record<string, string>> | undefined;
}

function readDocumented(operation: string, field: DocumentedField): Facts {
  const choice = chosen.get(`${operation} ${field.name}`);
  const format = formatOf(field);
  return {
    required: field.required && !filledIn.has(`${operation} ${field.name}`),
    type: choice?.type ?? String(field.type),
    nullable: choice?.nullable ?? field.nullable,
    // An e-mail address is never empty.
    minLength: format === undefined ? field.minLength : undefined,
    maxLength: field.maxLength,
    min: field.min,
    max: field.max,
    pattern: field.pattern === undefined ? undefined : documented.patterns[field.pattern]?.regex,
    format,
    values: field.enum ?? (choice?.type === 'string' ? valuesOfSibling(operation, field.name) : undefined),
    default: field.default,
    members: field.objectFields,
  };
}

function formatOf(field: DocumentedField): string | undefined {
  return field.format ?? (field.pattern === undefined ? undefined : documented.patterns[field.pattern]?.format);
}

/** The document gives the values of these two at mounts.create only. */
function valuesOfSibling(operation: string, name: string): readonly string[] | undefined {
  if (operation !== 'mounts.update') return undefined;
  const create = documented.endpoints.find((one) => one.group === 'mounts' && one.operation === 'create');
  return create?.fields.find((field) => field.name === name)?.enum;
}

type Schema = z.core.JSONSchema.BaseSchema;

function readWritten(schema: Schema, required: boolean): Facts {
  const inner = dropNull(schema);
  return {
    required,
    type: nameType(inner),
    nullable: isNullable(schema),
    minLength: inner.minLength,
    maxLength: inner.maxLength,
    min: inner.minimum,
    max: inner.maximum,
    // The pattern behind a format is the library's.
    pattern: inner.format === undefined ? inner.pattern : undefined,
    format: inner.format,
    values: inner.enum as readonly string[] | undefined,
    default: schema.default,
    members: inner.type === 'object' && inner.required ? namesOf(inner) : undefined,
  };
}

function namesOf(schema: Schema): Record<string, string> | undefined {
  // The swarm objects have members too, which the document does not show.
  if (schema.additionalProperties === false) return undefined;
  return Object.fromEntries((schema.required ?? []).map((name) => [name, nameType(member(schema, name))]));
}

function member(schema: Schema, name: string): Schema {
  const found = schema.properties?.[name];
  if (found === undefined || typeof found === 'boolean') throw new Error(`no schema for ${name}`);
  return found;
}

function typesOf(schema: Schema): readonly string[] {
  if (schema.type === undefined) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

function isNullable(schema: Schema): boolean {
  const isAnything = schema.type === undefined && schema.anyOf === undefined && schema.enum === undefined;
  if (isAnything || typesOf(schema).includes('null')) return true;
  return (schema.anyOf ?? []).some((one) => one.type === 'null');
}

function dropNull(schema: Schema): Schema {
  const others = (schema.anyOf ?? []).filter((one) => one.type !== 'null');
  return others.length === 1 ? (others[0] as Schema) : schema;
}

function nameType(schema: Schema): string {
  const type = typesOf(schema).find((one) => one !== 'null') ?? 'anything';
  return type === 'array' ? `array<${nameType(schema.items as Schema)}>` : type;
}

function describeWritten(endpoint: Endpoint): Record<string, Facts> {
  const schema = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  return Object.fromEntries(
    Object.keys(schema.properties ?? {}).map((name) => [name, readWritten(member(schema, name), required.has(name))]),
  );
}

describe('the contract', () => {
  it('has the 192 operations of the document, and no other', () => {
    expect(documented.endpoints).toHaveLength(192);
    expect(documented.totals.all).toBe(192);
    expect(Object.keys(contract).sort()).toEqual(
      documented.endpoints.map(({ group, operation }) => `${group}.${operation}`).sort(),
    );
  });

  it('has the 745 members of the document', () => {
    const written = Object.values(contract).flatMap((endpoint: Endpoint) => Object.keys(endpoint.input.shape));
    expect(documented.endpoints.flatMap(({ fields }) => fields)).toHaveLength(745);
    expect(written).toHaveLength(745);
  });

  it('chooses a type for exactly the 84 members that have no type in the API document', () => {
    const open = documented.endpoints.flatMap(({ group, operation, fields }) =>
      fields
        .filter(({ type }) => type === null || type === 'unknown')
        .map(({ name }) => `${group}.${operation} ${name}`),
    );
    expect(open).toHaveLength(84);
    expect([...chosen.keys()].sort()).toEqual(open.sort());
  });

  describe.each(documented.endpoints.map((one) => ({ ...one, name: `${one.group}.${one.operation}` })))(
    '$name',
    ({ name, method, fields, openEnded }) => {
      if (!isOperation(name)) return;
      const endpoint = endpointOf(name);

      it('is called as documented', () => {
        expect(endpoint.method).toBe(method);
        expect(fields.every((field) => field.in === (method === 'GET' ? 'query' : 'body'))).toBe(true);
      });

      it('takes the documented members with their rules', () => {
        expect(describeWritten(endpoint)).toEqual(
          Object.fromEntries(fields.map((field) => [field.name, readDocumented(name, field)])),
        );
      });

      it('behaves by these rules', () => {
        const known = Object.fromEntries(fields.map((field) => [field.name, exampleOf(name, field)]));
        const accepts = (input: object): boolean => endpoint.input.safeParse(input).success;
        expect(endpoint.input.safeParse(known).error?.issues ?? []).toEqual([]);
        expect(accepts({ ...known, noSuchMember: 1 })).toBe(openEnded);
        for (const field of fields) {
          const facts = readDocumented(name, field);
          const { [field.name]: _left, ...others } = known;
          expect([field.name, 'left out', accepts(others)]).toEqual([field.name, 'left out', !facts.required]);
          const probes = probesOf(facts);
          for (const { value, isFine } of probes) {
            const got = accepts({ ...known, [field.name]: value });
            expect([field.name, value, got]).toEqual([field.name, value, isFine]);
          }
        }
      });
    },
  );
});

/** A value that fits the rules of a member. */
function exampleOf(operation: string, field: DocumentedField): unknown {
  const { type, values, format, min, pattern } = readDocumented(operation, field);
  if (values) return values[0];
  if (format === 'email') return 'a@b.example';
  if (format === 'uri') return 'https://b.example';
  if (pattern?.includes('all|')) return '15m';
  if (type === 'string') return 'ab';
  if (type === 'number' || type === 'integer') return min ?? 5;
  if (type === 'boolean') return false;
  if (type.startsWith('array')) return [];
  if (field.objectFields) return { organizationId: 'o1', more: 1 };
  return field.name.endsWith('ConfigSwarm') ? { Parallelism: 1, Order: 'start-first' } : {};
}

/** Values at and beyond the edges of a member's rules. */
function probesOf(facts: Facts): readonly { value: unknown; isFine: boolean }[] {
  const probes: { value: unknown; isFine: boolean }[] = [{ value: null, isFine: facts.nullable }];
  const add = (value: unknown, isFine: boolean): void => void probes.push({ value, isFine });
  if (facts.type === 'anything') return [...probes, { value: [{ a: 1 }], isFine: true }, { value: 'x', isFine: true }];
  for (const [type, value] of [
    ['string', 'ab'],
    ['number', 7],
    ['boolean', true],
    ['array', []],
    ['object', {}],
  ] as const) {
    const own = facts.type === 'integer' ? 'number' : facts.type.replace(/<.*/, '');
    if (type !== own) add(value, false);
  }
  if (facts.type === 'string' && !facts.values) {
    const isPlain = facts.pattern === undefined && facts.format === undefined;
    if (isPlain) add('', facts.minLength === undefined);
    else if (facts.minLength === 1 || facts.format) add('', false);
    if (facts.maxLength !== undefined) {
      add('a'.repeat(facts.maxLength), true);
      add('a'.repeat(facts.maxLength + 1), false);
    }
    if (!isPlain) add('a "b" \\', false);
  }
  if (facts.values) for (const value of facts.values) add(value, true);
  if (facts.values) add('none of these', false);
  if (facts.min !== undefined) add(facts.min - 1, false);
  if (facts.max !== undefined) {
    add(facts.max, true);
    add(facts.max + 1, false);
  }
  if (facts.type === 'number') add(Number.NaN, false);
  if (facts.type === 'number' || facts.type === 'integer') add(2.5, facts.type === 'number');
  if (facts.type === 'array<string>') {
    add(['a'], true);
    add([1], false);
  }
  return probes;
}

it.each(['standard', 'dokploy'] as const)(
  'the contract of %s is made once, and so is the one with all operations',
  (profile) => {
    for (const all of [contracts, extendedContracts]) {
      const first = all[profile];
      expect(first.profile).toBe(profile);
      expect(all[profile]).toBe(first);
    }
  },
);
