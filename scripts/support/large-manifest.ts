/** A manifest of so many services in ten environments, each with four objects below it: two kinds of services in turn. */
export function largeManifest(services: number, platform: string): string {
  const lines = ['trueup: 1', `platform: ${platform}`, 'project: prj_1', 'environments:'];
  const environments = 10;
  for (let e = 0; e < environments; e++) {
    const databases: string[] = [];
    const composes: string[] = [];
    for (let n = e; n < services; n += environments) {
      if (Math.floor(n / environments) % 2 === 0) databases.push(...databaseLines(n));
      else composes.push(...composeLines(n));
    }
    lines.push(`  env${e}:`, '    env: { REGION: eu }');
    if (databases.length > 0) lines.push('    postgres:', ...databases);
    if (composes.length > 0) lines.push('    compose:', ...composes);
  }
  return `${lines.join('\n')}\n`;
}

function databaseLines(n: number): string[] {
  return [
    `      db${n}:`,
    '        dockerImage: postgres:17',
    `        databaseName: db${n}`,
    '        databaseUser: owner',
    `        databasePassword: password-${n}`,
    '        memoryLimit: "536870912"',
    '        mounts:',
    '          /extra: { type: volume, volumeName: extra }',
    `          /etc/extra.conf: { type: file, filePath: extra.conf, content: "n = ${n}" }`,
    '        backups:',
    `          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/${n}, keepLatestCount: 14 }`,
    `          weekly: { schedule: "0 4 * * 0", destinationId: dst_2, prefix: w/${n}, keepLatestCount: 52 }`,
  ];
}

function composeLines(n: number): string[] {
  return [
    `      app${n}:`,
    '        source:',
    '          type: raw',
    '          composeFile: |',
    '            services:',
    '              web:',
    '                image: nginx:1.27',
    '              api:',
    '                image: node:20',
    '        env:',
    `          NAME: app${n}`,
    '          LEVEL: info',
    '        domains:',
    `          app${n}.example.com: { serviceName: web, port: 8080, https: true, certificateType: acme_auto }`,
    `          api${n}.example.com: { serviceName: api, port: 3000 }`,
    '        files:',
    '          app.conf: { content: "a = 1" }',
    '          log.conf: { content: "b = 2" }',
  ];
}
