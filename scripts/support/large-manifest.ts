/**
 * A manifest of so many services in ten environments, each with four objects below it: two kinds of services in turn.
 * `isEdited`: one service in a hundred has another value.
 */
export function largeManifest(services: number, platform: string, isEdited = false): string {
  return textOf(head(platform), [...environments(services, isEdited).values()].flat());
}

/** A manifest of so many services in ten environments, with nothing below them. */
export function plainManifest(services: number, platform: string): string {
  return textOf(head(platform), [...environments(services, false, false).values()].flat());
}

/**
 * A manifest of so many services in ten environments, each with two objects below it. One request creates each object.
 * `isEdited`: one service in 33 has another description, which is one object in a hundred.
 */
export function leanManifest(services: number, platform: string, isEdited = false): string {
  const lines = Array.from({ length: 10 }, (_, e) => {
    const numbers = Array.from({ length: services }, (_, n) => n).filter((n) => n % 10 === e);
    const [databases, composes] = [true, false].map((is) => numbers.filter((n) => isDatabase(n) === is));
    return [
      `  env${e}:`,
      '    postgres:',
      ...(databases ?? []).flatMap((n) => leanDatabase(n, isEdited && n % 33 === 0)),
      '    compose:',
      ...(composes ?? []).flatMap((n) => leanCompose(n, isEdited && n % 33 === 0)),
    ];
  });
  return textOf(head(platform), lines.flat());
}

function leanDatabase(n: number, isEdited: boolean): string[] {
  return [
    `      db${n}:`,
    '        dockerImage: postgres:17',
    `        databaseName: db${n}`,
    '        databaseUser: owner',
    `        databasePassword: password-${n}`,
    `        description: ${isEdited ? 'new' : 'old'}`,
    '        mounts:',
    '          /extra: { type: volume, volumeName: extra }',
    '        backups:',
    `          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/${n} }`,
  ];
}

function leanCompose(n: number, isEdited: boolean): string[] {
  return [
    `      app${n}:`,
    '        source:',
    '          type: raw',
    '          composeFile: |',
    '            services:',
    '              web:',
    '                image: nginx:1.27',
    '                volumes: ["../files/app.conf:/etc/app.conf"]',
    `        description: ${isEdited ? 'new' : 'old'}`,
    '        domains:',
    `          app${n}.example.com: { serviceName: web, port: 8080 }`,
    '        files:',
    '          app.conf: { content: "a = 1" }',
  ];
}

/** Databases and composes in turn, in each environment. */
function isDatabase(n: number): boolean {
  return Math.floor(n / 10) % 2 === 0;
}

/** The services with their objects, in a file for each environment, by their names. */
export function largeManifestFiles(services: number, platform: string, isEdited = false): ReadonlyMap<string, string> {
  const files = [...environments(services, isEdited)].map(
    ([name, lines]) => [`${name}.yaml`, textOf([], lines)] as const,
  );
  return new Map([['trueup.yaml', `${[...head(platform), 'include: [env*.yaml]'].join('\n')}\n`], ...files]);
}

function head(platform: string): string[] {
  return ['trueup: 1', `platform: ${platform}`, 'project: prj_1'];
}

function textOf(above: readonly string[], lines: readonly string[]): string {
  return `${[...above, 'environments:', ...lines].join('\n')}\n`;
}

/** The lines of each environment, by its name; `hasObjects`: each service has four below it. */
function environments(services: number, isEdited: boolean, hasObjects = true): Map<string, string[]> {
  const count = 10;
  const found = new Map<string, string[]>();
  for (let e = 0; e < count; e++) {
    const databases: string[] = [];
    const composes: string[] = [];
    for (let n = e; n < services; n += count) {
      if (isDatabase(n)) {
        databases.push(...databaseLines(n, isEdited && n % 200 === 0), ...(hasObjects ? belowDatabase(n) : []));
      } else
        composes.push(
          ...composeLines(n, isEdited && n % 200 === 150, hasObjects),
          ...(hasObjects ? belowCompose(n) : []),
        );
    }
    const lines = [`  env${e}:`, '    env: { REGION: eu }'];
    if (databases.length > 0) lines.push('    postgres:', ...databases);
    if (composes.length > 0) lines.push('    compose:', ...composes);
    found.set(`env${e}`, lines);
  }
  return found;
}

function databaseLines(n: number, isEdited: boolean): string[] {
  return [
    `      db${n}:`,
    '        dockerImage: postgres:17',
    `        databaseName: db${n}`,
    '        databaseUser: owner',
    `        databasePassword: password-${n}`,
    `        memoryLimit: "${isEdited ? 268435456 : 536870912}"`,
  ];
}

function belowDatabase(n: number): string[] {
  return [
    '        mounts:',
    '          /extra: { type: volume, volumeName: extra }',
    `          /etc/extra.conf: { type: file, filePath: extra.conf, content: "n = ${n}" }`,
    '        backups:',
    `          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/${n}, keepLatestCount: 14 }`,
    `          weekly: { schedule: "0 4 * * 0", destinationId: dst_2, prefix: w/${n}, keepLatestCount: 52 }`,
  ];
}

/** `mounts`: it mounts the files below it, which it would be warned of otherwise. */
function composeLines(n: number, isEdited: boolean, mounts: boolean): string[] {
  return [
    `      app${n}:`,
    '        source:',
    '          type: raw',
    '          composeFile: |',
    '            services:',
    '              web:',
    '                image: nginx:1.27',
    '                env_file: .env',
    ...(mounts ? ['                volumes: ["../files/app.conf:/etc/app.conf"]'] : []),
    '              api:',
    '                image: node:20',
    ...(mounts ? ['                volumes: ["../files/log.conf:/etc/log.conf"]'] : []),
    '        env:',
    `          NAME: app${n}`,
    `          LEVEL: ${isEdited ? 'debug' : 'info'}`,
  ];
}

function belowCompose(n: number): string[] {
  return [
    '        domains:',
    `          app${n}.example.com: { serviceName: web, port: 8080, https: true, certificateType: letsencrypt }`,
    `          api${n}.example.com: { serviceName: api, port: 3000 }`,
    '        files:',
    '          app.conf: { content: "a = 1" }',
    '          log.conf: { content: "b = 2" }',
  ];
}
