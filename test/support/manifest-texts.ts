import { head } from './world.ts';

/** Texts of manifests: sections of the production environment, and the manifest around them. */

/** The source of a compose stack with one service. */
export const composeBody = 'source: { type: raw, composeFile: "services: { web: { image: nginx } }" }';

/** A manifest with the sections of the production environment, each at six spaces. */
export function production(sections: string): string {
  return `${head}environments:\n  production:\n${sections}`;
}

/** The section of one database; `more` is what else stands in its block. */
export function database(more = '', key = 'main', databaseName = 'shop'): string {
  const rest = more === '' ? '' : `, ${more}`;
  return `    postgres:\n      ${key}: { dockerImage: "postgres:17", databaseName: ${databaseName}, databaseUser: u, databasePassword: password-1${rest} }\n`;
}

/** The section of one compose stack. */
export function stack(more = '', key = 'shop'): string {
  return `    compose:\n      ${key}: { ${composeBody}${more === '' ? '' : `, ${more}`} }\n`;
}
