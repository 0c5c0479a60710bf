import { openApi } from '../../api/openapi.ts';
import { manifestSchema } from '../../manifest/json-schema.ts';
import { namesOf } from '../../project/target.ts';
import { printJson, reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';

/** A document, the same in every format. */
const formats = reportFormats<object>({ text: (document, screen) => printJson(screen, document), json: (it) => it });

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
    view.report(
      openapi === true ? openApi({ names }) : manifestSchema(options.kinds, { hasAliases: names !== undefined }),
    );
    return 'done';
  },
});
