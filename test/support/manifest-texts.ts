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

/** A manifest of so many stacks, each with a compose file of its own, a domain and a file. */
export const manyStacks = (stacks: number, more = ''): string => `${head}environments:
  production:
    compose:
${Array.from(
  { length: stacks },
  (_, n) => `      s${n}:
        source:
          type: raw
          composeFile: |
            services:
              web: { image: "nginx:1.${n}", volumes: ["../files/app.conf:/etc/app.conf"]${more} }
        domains:
          s${n}.example.com: { serviceName: web, port: 8080 }
        files:
          app.conf: { content: "a = 1" }
`,
).join('')}`;
