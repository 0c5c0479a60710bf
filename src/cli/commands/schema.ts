import { openApi } from '../../api/openapi.ts';
import { manifestSchema } from '../../manifest/json-schema.ts';
import { namesOf } from '../../project/target.ts';
import type { Formats, View } from '../../render/format.ts';
import { jsonView, printJson } from '../../render/json-view.ts';
import { textView } from '../../render/text-view.ts';
import { defineCommand } from '../command.ts';

/** Prints what `schema` reports: a document, in every format. */
interface SchemaView extends View {
  readonly schema: (document: object) => void;
}

const formats: Formats<SchemaView> = {
  text: (screen) => ({ ...textView(screen), schema: (document) => printJson(screen, document) }),
  json: (screen) => ({ ...jsonView(screen), schema: (document) => printJson(screen, document) }),
};

/** Prints the JSON Schema of manifests, or the description of the platform's API. */
export const command = defineCommand({
  options: { '--openapi': 'print the API of the platform as OpenAPI 3.1 instead' },
  examples: ['trueup schema > trueup.schema.json', 'trueup schema --openapi > openapi.json'],
  footer: `In the first line of a manifest:
  # yaml-language-server: $schema=trueup.schema.json
Where the package is installed beside the manifest:
  # yaml-language-server: $schema=node_modules/trueup/schema/trueup.schema.json`,
  formats,
  execute: async ({ options }, view, { flags: { openapi } }) => {
    const names = await namesOf(options);
    view.schema(
      openapi === true ? openApi({ names }) : manifestSchema(options.kinds, { hasAliases: names !== undefined }),
    );
    return 'done';
  },
});
