import { manifestSchema } from '../../manifest/json-schema.ts';
import { kinds } from '../../resources/index.ts';
import type { Command } from '../run.ts';
import { printJson } from '../run.ts';

/** Prints the JSON Schema of manifests. */
export const schemaCommand: Command = ({ terminal }) => {
  printJson(terminal, manifestSchema(kinds));
  return Promise.resolve('done');
};
