import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Bench } from './world.ts';

/** Blocks of the top of a manifest as text, and somebody who watches what they are used for. */

/** A text in PEM form, as YAML. */
export function pem(what: string, text: string): string {
  return JSON.stringify(`-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`);
}

/** A section with one SSH key, made of a pair that has a name. */
export function keys(pair: string, key = 'deploy'): string {
  const halves = `publicKey: ssh-ed25519 AAAA${pair} shop, privateKey: ${pem('OPENSSH PRIVATE KEY', pair)}`;
  return `sshKeys:\n  ${key}: { name: deploy, ${halves} }\n`;
}

/** A section with one certificate. */
export function certificate(text: string, key = 'shop'): string {
  return `certificates:\n  ${key}: { name: shop, certificateData: ${pem('CERTIFICATE', text)}, privateKey: k }\n`;
}

/** Sections of the production environment. */
export function inProduction(sections: string): string {
  return `environments:\n  production:\n${sections.replaceAll(/^(?=.)/gm, '    ')}`;
}

/** A source that is fetched from a repository; `more` stands in it too. */
export function git(name: string, more = ''): string {
  return `{ type: git, url: "git@git.example.com:${name}.git", branch: main${more} }`;
}

/** An application that fetches with a key. */
export function fetching(key = 'deploy'): string {
  return inProduction(`application:\n  api: { source: ${git('api', `, sshKey: ${key}`)} }\n`);
}

/** The rows of a table. */
export function rowsOf(made: Bench, table: 'application' | 'compose' | 'gitProvider' | 'gitlab' | 'sshKey'): Row[] {
  return Object.values(made.emulator.world.tables[table]);
}

/** The platform with somebody who notes every moment in which a service lost its key, or a provider is there twice. */
export function watched(made: Bench, noted: string[], send: Send = made.emulator.send): Send {
  return async (request) => {
    const before = keysOfServices(made);
    try {
      return await send(request);
    } finally {
      const after = keysOfServices(made);
      for (const [id, key] of before)
        if (key !== null && after.get(id) === null) noted.push(`${request.path} takes ${String(key)} from ${id}`);
      const names = rowsOf(made, 'gitProvider').map((row) => row.name);
      if (names.length > new Set(names).size) noted.push(`${request.path} makes a second provider`);
    }
  };
}

function keysOfServices(made: Bench): Map<string, unknown> {
  return new Map(
    (['application', 'compose'] as const).flatMap((table) =>
      rowsOf(made, table)
        .filter((row) => row.sourceType === 'git')
        .map((row) => [String(row[`${table}Id`]), row.customGitSSHKeyId] as const),
    ),
  );
}
