import { openApi } from '../../api/openapi.ts';
import { manifestSchema } from '../../manifest/json-schema.ts';
import { kinds } from '../../resources/index.ts';
import type { Command } from '../run.ts';
import { printJson } from '../run.ts';

/** Prints the JSON Schema of manifests, or the description of the platform's API. */
export function schemaCommand({ openapi }: { readonly openapi?: true }): Command {
  return ({ terminal }) => {
    printJson(terminal, openapi === true ? openApi() : manifestSchema(kinds));
    return Promise.resolve('done');
  };
}
