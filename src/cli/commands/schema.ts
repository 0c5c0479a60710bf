import { contracts } from '../../api/contract.ts';
import { openApi } from '../../api/openapi.ts';
import { inOwnWords, profileOf } from '../../kind/profile.ts';
import { manifestSchema } from '../../manifest/json-schema.ts';
import type { SchemaView } from '../../render/formats/plain.ts';
import { schemaFormats } from '../../render/formats/plain.ts';
import type { Command } from '../command.ts';

/** Prints the JSON Schema of manifests, or the description of the platform's API. */
export function schemaCommand({ openapi }: { readonly openapi?: true }): Command<SchemaView> {
  return {
    formats: schemaFormats,
    execute: (run, view) => {
      view.schema(
        openapi === true
          ? openApi({ names: contracts[profileOf(run.options.kinds)].names })
          : manifestSchema(inOwnWords(run.options.kinds)),
      );
      return Promise.resolve('done');
    },
  };
}
