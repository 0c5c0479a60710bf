import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Files } from '../support/problems.ts';
import { oneError, problemsOf, told, warningsOf } from '../support/problems.ts';
import { bench, head } from '../support/world.ts';

/** Manifests with one mistake each; the sign before the mistake marks where it has to be told. */

const postgres = (lines: string) =>
  `${head}environments:
  production:
    postgres:
      main:
        databaseName: shop
        databaseUser: shop
        databasePassword: correct-horse-1
${lines}`;
const compose = (lines: string, file = 'services: { web: { image: nginx } }') =>
  `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "${file}" }
${lines}`;
const domains = (lines: string) => compose(`        domains: ${lines}\n`);
const backups = (fields: string) => postgres(`        backups: { nightly: { ${fields} } }\n`);

type Case = readonly [title: string, files: Files, code: Code, mentions: string | RegExp];

const mistakes: Record<string, readonly Case[]> = {
  'an unknown key': [
    ['names the nearest key', postgres('        §dockerImagee: x\n'), 'unknown-key', 'Did you mean dockerImage?'],
    ['at the top too', `${head}§enviroments: {}\n`, 'unknown-key', 'Did you mean environments?'],
    [
      'in a group of fields too',
      compose('').replace('composeFile', '§composeFiles'),
      'unknown-key',
      /source\.composeFiles.*mean composeFile\?/,
    ],
    [
      'lists all keys when none is near',
      `${head}environments: { production: { §zzzzzzz: {} } }\n`,
      'unknown-key',
      /an environment.*takes application, compose, createOnly, description, env, envMode, id, libsql, mariadb, mongo, mysql, /,
    ],
    ['with a very long name fits in one line', postgres(`        §${'x'.repeat(900)}: 1\n`), 'unknown-key', 'xxx'],
    [
      'that JavaScript objects have is unknown too',
      postgres('        §constructor: 1\n'),
      'unknown-key',
      'constructor',
    ],
    [
      'that JavaScript objects have gets no hint',
      compose('        §toString: 1\n'),
      'unknown-key',
      /a compose has no key toString It takes/,
    ],
    ['named __proto__ is unknown too', postgres('        §__proto__: { a: 1 }\n'), 'unknown-key', '__proto__'],
    [
      'mounts of a compose leads to files:',
      compose('        §mounts: { /a: { type: bind, hostPath: /x } }\n'),
      'unknown-key',
      /mounts.*files:/,
    ],
    [
      'backups of a Redis leads to its volume',
      `${head}environments: { production: { redis: { main: { §backups: {} } } } }\n`,
      'unknown-key',
      /backups.*volume/,
    ],
    [
      'composeFile leads to source:',
      `${head}environments: { production: { compose: { a: { §composeFile: x } } } }\n`,
      'unknown-key',
      /composeFile.*source:/,
    ],
  ],
  'a value of the wrong type': [
    [
      'text for a number',
      postgres('        replicas: §many\n'),
      'wrong-type',
      /replicas must be a number, got "many".*Write for example replicas: 2\. Number of containers/,
    ],
    ['a fraction for a whole number', postgres('        replicas: §1.5\n'), 'wrong-type', 'replicas'],
    [
      'a number that no column of the platform holds',
      postgres('        replicas: §3000000000\n'),
      'wrong-type',
      /replicas must be at most 2147483647, got 3000000000/,
    ],
    [
      'nothing for text that is needed',
      postgres('').replace('databaseName: shop', 'databaseName: §""'),
      'wrong-type',
      'databaseName is empty',
    ],
    [
      'a file that is not there, for text that is needed',
      postgres('').replace('databaseName: shop', 'databaseName: §${file:nope}'),
      'file-unreadable',
      'there is no file nope',
    ],
    ['text for a list', postgres('        args: §x\n'), 'wrong-type', /args must be a list, got "x"/],
    [
      'a map for text',
      postgres('        description: §{ a: 1 }\n'),
      'wrong-type',
      /description must be text, got a map/,
    ],
    ['a number for text', postgres('        description: §5\n'), 'wrong-type', /description must be text, got 5/],
    [
      'a quoted number for a number',
      domains('{ a.example.com: { serviceName: web, port: §"80" } }'),
      'wrong-type',
      /port must be a number, got "80"/,
    ],
    ['a number beyond all numbers', postgres('        replicas: §.inf\n'), 'wrong-type', 'replicas'],
    ['a list of env', postgres('        env: §[A=1]\n'), 'wrong-type', 'env'],
    [
      'a word that is none of the words',
      postgres('        envMode: §owned\n'),
      'wrong-type',
      /envMode must be "own" or "merge", got "owned"/,
    ],
    [
      'text for yes or no',
      postgres('        protect: §"yes"\n'),
      'wrong-type',
      /protect must be true or false, got "yes"/,
    ],
    [
      'inside a JSON field is told at its place',
      postgres('        ulimitsSwarm: [{ Name: nofile, Soft: §many, Hard: 5 }]\n'),
      'wrong-type',
      /ulimitsSwarm\.0\.Soft must be a number, got "many"/,
    ],
    ['null for an id', postgres('        id: §null\n'), 'wrong-type', 'id'],
    [
      'a case that is none',
      compose('').replace('type: raw', 'type: §constructor'),
      'wrong-type',
      /source\.type.*raw, git/,
    ],
    ['a case that is left out', compose('').replace('{ type: raw,', '§{'), 'wrong-type', /source\.type.*raw, git/],
    [
      'a source that is null',
      `${head}environments: { production: { compose: { a: { source: §} } } }\n`,
      'wrong-type',
      /source.*type:/,
    ],
    ['text for a block', `${head}environments: { production: §x }\n`, 'wrong-type', 'production'],
    ['text for a section', `${head}§environments: x\n`, 'wrong-type', 'environments'],
  ],
  'a value of a form that would fail later': [
    [
      'a minute 61',
      backups('schedule: §"61 3 * * *", prefix: a, destinationId: dst_1'),
      'wrong-type',
      /schedule.*cron/,
    ],
    [
      'a schedule in words',
      backups('schedule: §every day, prefix: a, destinationId: dst_1'),
      'wrong-type',
      /schedule.*cron/,
    ],
    [
      'a host with a scheme',
      domains('{ §"https://a.example.com": { serviceName: web } }'),
      'wrong-type',
      /host.*scheme/,
    ],
    ['a host with an underscore', domains('{ §a_b.example.com: { serviceName: web } }'), 'wrong-type', 'host'],
    ['a wildcard', domains('{ §"*.example.com": { serviceName: web } }'), 'wrong-type', /host.*wildcard/],
    [
      'a port above 65535',
      domains('{ a.example.com: { serviceName: web, port: §70000 } }'),
      'wrong-type',
      /port must be at most 65535, got 70000/,
    ],
    [
      'port 0',
      domains('{ a.example.com: { serviceName: web, port: §0 } }'),
      'wrong-type',
      'port must be at least 1, got 0',
    ],
    [
      'a file that leads out of its folder',
      compose('        files: { §"../../etc/cron.d/x": { content: a } }\n'),
      'wrong-type',
      /filePath.*\.\./,
    ],
  ],
  'text that is not YAML': [
    [
      'a key that stands twice',
      `${head}environments:\n  production: {}\n  §production: {}\n`,
      'yaml-syntax',
      /production is defined twice/,
    ],
    [
      'a key that stands twice on one line',
      `${head}environments: { production: {}, §production: {} }\n`,
      'yaml-syntax',
      'production',
    ],
    ['a tab', `${head}environments:\n§\tproduction: {}\n`, 'yaml-syntax', /[Tt]ab.*spaces/],
    ['an alias without its anchor', `${head}environments: §*nowhere\n`, 'yaml-syntax', '&nowhere'],
    ['an alias of itself', `${head}environments: &a { production: §*a }\n`, 'yaml-syntax', '&a'],
    ['a tag', `${head}environments: §!site { production: {} }\n`, 'yaml-syntax', '!site'],
    ['a tag that asks for code', `${head}environments: §!!js/function "x"\n`, 'yaml-syntax', 'js/function'],
    ['bytes', postgres('        description: §!!binary aGVsbG8=\n'), 'yaml-syntax', 'binary'],
    ['a set', postgres('        env: §!!set { A, B }\n'), 'yaml-syntax', 'set'],
    ['an ordered map', postgres('        env: §!!omap [ A: 1 ]\n'), 'yaml-syntax', 'omap'],
    ['a key that is a list', `${head}environments:\n  ? §[a]\n  : {}\n`, 'yaml-syntax', 'key'],
    ['a key of more than 1024 characters', `${head}environments:\n  §${'x'.repeat(5000)}: {}\n`, 'yaml-syntax', 'key'],
    ['a merge of something else', postgres('        §<<: 5\n'), 'yaml-syntax', '<<'],
    ['a second document', `${head}§---\nenvironments: {}\n`, 'yaml-syntax', /second document.*file of its own/],
    ['a second document that is empty', `${head}§---\n`, 'yaml-syntax', 'second document'],
    ['a directive that YAML does not have', `§%SITE 1\n---\n${head}`, 'yaml-syntax', '%SITE'],
    ['the character NUL', `${head}environments: { "pro§\0duction": {} }\n`, 'yaml-syntax', 'NUL'],
    ['the character NUL, escaped', postgres(String.raw`        description: §"a\0b"`), 'yaml-syntax', 'NUL'],
    ['half of a surrogate pair', postgres(String.raw`        env: { A: §"\uD83D" }`), 'yaml-syntax', 'surrogate'],
  ],
  'an expression without quotes between braces': [
    [
      'gets the remedy to quote it',
      backups('schedule: "0 3 * * *", prefix: a, destinationId: $§{var:backups}'),
      'yaml-syntax',
      'Quote the value',
    ],
    [
      'on a line of its own too',
      postgres('        env: {\n          A: $§{secret:X},\n          B: 1\n        }\n'),
      'yaml-syntax',
      'Quote the value',
    ],
    ['in a list too', postgres('        args: [$§{var:x}]\n'), 'yaml-syntax', 'Quote the value'],
    [
      'of the form ${{…}} gets it too',
      postgres('        env: { A: $§{{environment.X}} }\n'),
      'yaml-syntax',
      'Quote the value',
    ],
    ['of the form ${X} gets it too', postgres('        env: { A: $§{X} }\n'), 'yaml-syntax', 'Quote the value'],
  ],
  'a manifest that is not a map': [
    ['an empty file', '', 'wrong-type', /trueup\.yaml is empty.*trueup: 1/],
    ['a file with a comment only', '# later\n', 'wrong-type', 'is empty'],
    ['a list', '- a\n', 'wrong-type', 'not a map'],
    ['one word', 'hello\n', 'wrong-type', 'not a map'],
  ],
  'an empty section, block or value': [
    ['a section with nothing below it', `${head}§environments:\n`, 'wrong-type', /environments.*environments: \{\}/],
    [
      'a section of a service with nothing below it',
      postgres('        §backups:\n'),
      'wrong-type',
      /backups.*backups: \{\}/,
    ],
    [
      'a block with nothing below it',
      `${head}environments:\n  §production:\n`,
      'wrong-type',
      /production.*production: \{\}/,
    ],
    [
      'a service with nothing below it',
      `${head}environments: { production: { postgres: { §main: } } }\n`,
      'wrong-type',
      /main.*main: \{\}/,
    ],
    [
      'a section of an included file',
      { 'trueup.yaml': `${head}include: [a.yaml]\nenvironments: { production: {} }\n`, 'a.yaml': '§environments:\n' },
      'wrong-type',
      'environments',
    ],
    ['a key that is empty', `${head}environments:\n  §"": {}\n`, 'wrong-type', /environments.*empty/],
    ['a key that is left out', `${head}environments:\n  §: {}\n`, 'wrong-type', /environments.*empty/],
    ['an env value that is null', postgres('        env: { A: §~ }\n'), 'env-value', /env\.A.*""/],
    ['an env value that is left out', postgres('        env:\n          A:§\n'), 'env-value', /env\.A.*""/],
  ],
  null: [
    [
      'does not clear a name',
      postgres('        name: §null\n'),
      'not-clearable',
      /name cannot be null.*Remove the line/,
    ],
    [
      'does not clear the service of a domain',
      domains('{ a.example.com: { serviceName: §null } }'),
      'not-clearable',
      /serviceName.*needs the service/,
    ],
    ['does not switch a backup off', backups('enabled: §null, prefix: a'), 'not-clearable', /enabled.*false/],
  ],
  'an env value that cannot be passed unchanged': [
    ['a list', postgres('        env: { A: §[1] }\n'), 'env-value', /env\.A.*JSON as text/],
    ['a key with a space', postgres('        env: { "A B": §x }\n'), 'env-value', 'env.A B'],
    ['a key that is empty', postgres('        env: { "": §x }\n'), 'env-value', 'env.'],
    [
      'a key that is an expression',
      postgres('        env: { §"${env:X}": x }\n'),
      'bad-expression',
      '${env:X} stands in a key',
    ],
    ['the key __proto__', postgres('        env: { __proto__: §x }\n'), 'env-value', 'env.__proto__'],
    [
      'a value that no quotes carry',
      postgres(String.raw`        env: { A: §"'\"` + '`' + String.raw`#\r\n" }`),
      'env-value',
      /env\.A.*quot/,
    ],
  ],
  'an expression': [
    ['of a variable that is not set', postgres('        env: { A: §"${env:NOWHERE}" }\n'), 'bad-expression', 'NOWHERE'],
    [
      'of an environment variable with a space',
      postgres('        env: { A: §"${env: HOME}" }\n'),
      'bad-expression',
      'HOME',
    ],
    ['without a name', postgres('        env: { A: §"${env:}" }\n'), 'bad-expression', '${env:NAME}'],
    ['of the API key', postgres('        env: { A: §"${env:TRUEUP_API_KEY}" }\n'), 'hostile-setting', 'TRUEUP_API_KEY'],
    [
      'of any setting of Trueup',
      postgres('        env: { A: §"${env:TRUEUP_SECRET_X}" }\n'),
      'hostile-setting',
      'TRUEUP_SECRET_X',
    ],
    [
      'of the API key in small letters',
      postgres('        env: { A: §"${env:trueup_api_key}" }\n'),
      'hostile-setting',
      'trueup_api_key',
    ],
    [
      'of the API key with a space',
      postgres('        env: { A: §"${env: TRUEUP_API_KEY}" }\n'),
      'hostile-setting',
      'TRUEUP_API_KEY',
    ],
    [
      'of a variable that is not declared',
      postgres('        env: { A: §"${var:nowhere}" }\n'),
      'bad-expression',
      'nowhere',
    ],
    [
      'of a variable that every object has',
      postgres('        env: { A: §"${var:constructor}" }\n'),
      'bad-expression',
      'constructor',
    ],
    ['of a variable __proto__', postgres('        env: { A: §"${var:__proto__}" }\n'), 'bad-expression', '__proto__'],
    [
      'of a variable without a value',
      `${head}variables: { x: }\nenvironments: { production: { description: §"\${var:x}" } }\n`,
      'bad-expression',
      /x has no value.*--var x=/,
    ],
    [
      'that is never closed',
      postgres('        env: { A: §"${env:X" }\n'),
      'bad-expression',
      /never closed.*\$\$\{env:/,
    ],
    ['of a secret with a space', postgres('        env: { A: §"${secret:a b}" }\n'), 'bad-expression', 'a b'],
    ['in a setting', head.replace('prj_1', '§"${var:project}"'), 'bad-expression', /project.*\$\{var:/],
    ['in include:', `${head}include: [§"\${var:x}.yaml"]\n`, 'bad-expression', 'include'],
  ],
  'a reference': [
    [
      'to a resource that is not there',
      postgres('        description: §"${ref:postgres.nowhere.host}"\n'),
      'bad-reference',
      /postgres\.nowhere.*production\.postgres\.main/,
    ],
    [
      'to an output that is not there',
      postgres('        description: §"${ref:production.host}"\n'),
      'bad-reference',
      /production has no output host.*It has id/,
    ],
    [
      'without an output',
      postgres('        description: §"${ref:production}"\n'),
      'bad-reference',
      '${ref:production}',
    ],
    ['to nothing', postgres('        description: §"${ref:}"\n'), 'bad-reference', '${ref:}'],
    [
      'with a key that ends nowhere',
      postgres(`        description: §'\${ref:postgres["main.host}'\n`),
      'bad-reference',
      'postgres["main',
    ],
    [
      'to itself',
      postgres('        description: "${ref:postgres.main.host}"\n').replace('main:', '§main:'),
      'bad-reference',
      'production.postgres.main -> production.postgres.main',
    ],
    ['in a circle of two', circle('ab'), 'bad-reference', /a -> production\.redis\.b -> production\.redis\.a/],
    [
      'in a circle of three',
      circle('abc'),
      'bad-reference',
      /a -> production\.redis\.b -> production\.redis\.c -> production\.redis\.a/,
    ],
    [
      'from a parent to its child',
      domains(
        '{ a.example.com: { serviceName: web } }\n        description: \'${ref:compose.shop.domains["a.example.com"].id}\'',
      ).replace('shop:', '§shop:'),
      'bad-reference',
      /shop -> .*shop\.domains/,
    ],
  ],
  'a contradiction': [
    [
      'a domain to a service that is not in the compose file',
      domains('{ a.example.com: { serviceName: §nowhere } }'),
      'inconsistent',
      /serviceName.*nowhere.*web/,
    ],
    [
      'a compose file that is no YAML',
      compose('', 'a: [b').replace('"a: [b"', '§"a: [b"'),
      'inconsistent',
      /source\.composeFile.*not valid YAML/,
    ],
    [
      'a compose file without services',
      compose('        domains: { a.example.com: { serviceName: §web } }\n', 'services: {}'),
      'inconsistent',
      /serviceName.*no services/,
    ],
    [
      'a custom certificate without its resolver',
      domains('{ a.example.com: { serviceName: web, certificateType: §custom } }'),
      'inconsistent',
      /certificateType.*customCertResolver/,
    ],
    [
      'a field of another case',
      postgres('        mounts: { /a: { type: bind, hostPath: /x, volumeName: §y } }\n'),
      'inconsistent',
      /volumeName.*type: bind/,
    ],
  ],
  'a setting': [
    ['platform: that is missing', 'trueup: 1\nproject: prj_1\n', 'missing-key', /platform.*emulator/],
    ['platform: that is a word', 'trueup: 1\nplatform: §standard\nproject: prj_1\n', 'wrong-type', 'platform'],
    [
      'another scheme',
      'trueup: 1\nplatform: { url: §"ftp://x.example.com" }\nproject: prj_1\n',
      'wrong-type',
      /platform\.url must be an address/,
    ],
    [
      'a key in the address',
      'trueup: 1\nplatform: { url: §"https://me:pass@x.example.com" }\nproject: prj_1\n',
      'wrong-type',
      /platform\.url must have no user/,
    ],
    [
      'a key that it does not take',
      'trueup: 1\nplatform: { url: "https://x.example.com", §apiKey: y }\nproject: prj_1\n',
      'wrong-type',
      /platform.*apiKey/,
    ],
    ['another version of the language', 'trueup: §2\nplatform: emulator\nproject: prj_1\n', 'wrong-type', 'trueup'],
    [
      'a project of blanks',
      'trueup: 1\nplatform: emulator\nproject: §"  "\n',
      'wrong-type',
      /project must be one line with a/,
    ],
    [
      'a project of two lines',
      'trueup: 1\nplatform: emulator\nproject: §"a\\nb"\n',
      'wrong-type',
      /project must be one line with a/,
    ],
    [
      'a project block with a name of blanks',
      'trueup: 1\nplatform: emulator\nproject:\n  name: §"\\t "\n',
      'wrong-type',
      /project\.name "\\t " must be one line with a/,
    ],
    [
      'a project block with a name of two lines',
      'trueup: 1\nplatform: emulator\nproject: { name: §"a\\u2028b" }\n',
      'wrong-type',
      /project\.name [^]* must be one line with a/,
    ],
    ['a project that is a number', 'trueup: 1\nplatform: emulator\nproject: §1\n', 'wrong-type', 'project'],
    [
      'a variable with a bad name',
      `${head}variables: { §"a b": {} }\n`,
      'wrong-type',
      /variables\.a b is not a valid name/,
    ],
    [
      'a value of a variable that is not declared',
      `${head}variables: { §a: 5 }\n`,
      'unknown-key',
      /declares a variable a.*default/s,
    ],
    ['moved: that is a map', `${head}moved: §{ a: b }\n`, 'wrong-type', 'moved'],
  ],
  'a file': [
    ['that is not there', postgres('        description: §"${file:nowhere.txt}"\n'), 'file-unreadable', 'nowhere.txt'],
    ['outside the workspace', postgres('        description: §"${file:../x}"\n'), 'file-unreadable', '../x is outside'],
    [
      'by an absolute path',
      postgres('        description: §"${file:/etc/passwd}"\n'),
      'file-unreadable',
      '/etc/passwd is an absolute path',
    ],
    ['without a name', postgres('        description: §"${file:}"\n'), 'file-unreadable', 'no file is named'],
    ['that is the folder', postgres('        description: §"${file:.}"\n'), 'file-unreadable', 'is not a file'],
    [
      'that is a folder',
      { 'trueup.yaml': postgres('        description: §"${file:sub}"\n'), 'sub/x': '' },
      'file-unreadable',
      'sub is not a file',
    ],
    [
      'that is not UTF-8',
      { 'trueup.yaml': postgres('        description: §"${file:x}"\n'), x: Buffer.from([0xff, 0xfe]) },
      'file-unreadable',
      'x is not UTF-8',
    ],
    [
      'with the character NUL',
      { 'trueup.yaml': postgres('        description: §"${file:x}"\n'), x: 'a\0b' },
      'file-unreadable',
      'NUL',
    ],
    [
      'that is too large',
      { 'trueup.yaml': postgres('        description: §"${file:x}"\n'), x: 'x'.repeat(1_000_001) },
      'file-unreadable',
      /1000001 bytes/,
    ],
    [
      'that is the manifest and not UTF-8',
      { 'trueup.yaml': Buffer.concat([Buffer.from(head), Buffer.from([0xff])]) },
      'file-unreadable',
      'trueup.yaml is not UTF-8',
    ],
    [
      'that is the manifest in UTF-16',
      { 'trueup.yaml': Buffer.from(`\uFEFF${head}`, 'utf16le') },
      'file-unreadable',
      'UTF-8',
    ],
    ['that is the manifest and has 16 MB', `${head}# ${'x'.repeat(16_000_000)}`, 'file-unreadable', /bytes/],
    ['that is the manifest and is missing', {}, 'file-unreadable', 'there is no file trueup.yaml'],
  ],
  'include:': [
    ['of a file that is not there', `${head}include: [§a.yaml]\n`, 'file-unreadable', 'a.yaml'],
    [
      'of a pattern that matches nothing',
      `${head}include: [§"env/*.yaml"]\n`,
      'file-unreadable',
      /env\/\*\.yaml.*applying without it deletes/,
    ],
    [
      'of a pattern with * in a folder',
      { 'trueup.yaml': `${head}include: [§"*/a.yaml"]\n`, 'env/a.yaml': 'environments: {}\n' },
      'file-unreadable',
      /last part/,
    ],
    ['of a file outside the workspace', `${head}include: [§../a.yaml]\n`, 'file-unreadable', 'outside'],
    ['of a pattern outside the workspace', `${head}include: [§"../*.yaml"]\n`, 'file-unreadable', 'outside'],
    ['of an absolute path', `${head}include: [§/etc/passwd]\n`, 'file-unreadable', 'absolute'],
    ['of an absolute pattern', `${head}include: [§"/etc/*.conf"]\n`, 'file-unreadable', 'absolute'],
    [
      'of a folder',
      { 'trueup.yaml': `${head}include: [§env]\n`, 'env/a.yaml': '' },
      'file-unreadable',
      'env is not a file',
    ],
    ['of the manifest itself', `${head}include: [§./trueup.yaml]\n`, 'file-unreadable', 'includes itself'],
    [
      'of an empty file',
      { 'trueup.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§' },
      'wrong-type',
      /a\.yaml is empty/,
    ],
    [
      'of a list',
      { 'trueup.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§- a\n' },
      'wrong-type',
      /a\.yaml is not a map/,
    ],
    [
      'of a file with a setting of the root file',
      { 'trueup.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§platform: emulator\n' },
      'unknown-key',
      /an included file has no key platform/,
    ],
    [
      'of a file with a second project',
      { 'trueup.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§project: prj_2\n' },
      'defined-twice',
      /project is already defined in trueup\.yaml:3:1/,
    ],
    [
      'of a file that includes one that is not there',
      { 'trueup.yaml': `${head}include: [sub/a.yaml]\n`, 'sub/a.yaml': 'include: [§b.yaml]\n' },
      'file-unreadable',
      'there is no file sub/b.yaml',
    ],
    [
      'of files in a circle',
      {
        'trueup.yaml': `${head}include: [sub/a.yaml]\n`,
        'sub/a.yaml': 'include: [../b.yaml]\n',
        'b.yaml': 'include: [§sub/a.yaml]\n',
      },
      'file-unreadable',
      'sub/a.yaml includes b.yaml, which includes sub/a.yaml',
    ],
    [
      'of a root file',
      { 'trueup.yaml': `${head}include: [§other.yaml]\n`, 'other.yaml': head },
      'file-unreadable',
      /other\.yaml is a root file: it has trueup: on line 1/,
    ],
    [
      'of two files that define one resource',
      {
        'trueup.yaml': `${head}include: [a.yaml, b.yaml]\n`,
        'a.yaml': 'environments: { production: { redis: { main: {} } } }\n',
        'b.yaml': 'environments: { production: { redis: { §main: {} } } }\n',
      },
      'defined-twice',
      /main is already defined in a\.yaml:1:40/,
    ],
    [
      'of two files that define one field',
      {
        'trueup.yaml': `${head}include: [a.yaml, b.yaml]\n`,
        'a.yaml': 'environments: { production: { description: x } }\n',
        'b.yaml': 'environments: { production: { §description: x } }\n',
      },
      'defined-twice',
      'description',
    ],
    [
      'of a mistake is told in its own file',
      {
        'trueup.yaml': `${head}include: [sub/a.yaml]\n`,
        'sub/a.yaml': '\nenvironments: { production: { §descripton: x } }\n',
      },
      'unknown-key',
      'Did you mean description?',
    ],
  ],
};

/** A pattern that stands for a text, or one that is one already. */
function literally(text: string | RegExp): RegExp {
  return typeof text === 'string' ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text;
}

function circle(names: string): string {
  const lines = names.split('').map((name, index) => {
    const next = names[(index + 1) % names.length] ?? '';
    return `      ${index === 0 ? '§' : ''}${name}: { dockerImage: "\${ref:redis.${next}.host}" }\n`;
  });
  return `${head}environments:\n  production:\n    redis:\n${lines.join('')}`;
}

for (const [group, cases] of Object.entries(mistakes)) {
  describe(`${group} is one error with its position and its remedy`, () => {
    test.each(cases)('%s', async (_title, files, code, mentions) => {
      expect(await told(files)).toEqual(oneError(code, literally(mentions)));
    });
  });
}

describe('a symbolic link', () => {
  const outside = (text: string) => {
    const path = join(tmpdir(), `trueup-outside-${process.pid}-${Math.random().toString(36).slice(2)}`);
    writeFileSync(path, text);
    return path;
  };

  test('out of the workspace is refused', async () => {
    const target = outside('top secret');
    const prepare = (folder: string) => symlinkSync(target, join(folder, 'link'));
    expect(await told(postgres('        description: §"${file:link}"\n'), { prepare })).toEqual(
      oneError('file-unreadable', 'by a link out of'),
    );
  });

  test('to a folder outside the workspace is refused', async () => {
    const prepare = (folder: string) => symlinkSync('/etc', join(folder, 'link'));
    expect(await told(postgres('        description: §"${file:link/hostname}"\n'), { prepare })).toEqual(
      oneError('file-unreadable', 'by a link out of'),
    );
  });

  test('out of the workspace is refused in include:', async () => {
    const target = outside('environments: {}');
    const prepare = (folder: string) => symlinkSync(target, join(folder, 'link.yml'));
    expect(await told(`${head}include: [§"*.yml"]\n`, { prepare })).toEqual(
      oneError('file-unreadable', 'by a link out of'),
    );
  });

  test('inside the workspace is followed', async () => {
    const { problems } = await problemsOf(
      { 'trueup.yaml': postgres('        description: "${file:link}"\n'), 'sub/text': 'hello' },
      { prepare: (folder) => symlinkSync(join(folder, 'sub/text'), join(folder, 'link')) },
    );
    expect(problems).toEqual([]);
  });
});

describe('deep nesting and expanding aliases', () => {
  const messageOf = async (text: string) => {
    const { problems } = await problemsOf(text);
    expect(problems.map((item) => item.code)).toEqual(['yaml-syntax']);
    return problems[0]?.message ?? '';
  };

  test.each([
    ['lists on one line', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['maps on one line', `${'{ a: '.repeat(10_000)}1${' }'.repeat(10_000)}`],
    ['lists in a block', `\n  ${'- '.repeat(10_000)}x`],
    ['maps in a block', `\n${Array.from({ length: 1500 }, (_, depth) => `${' '.repeat(depth + 1)}a:\n`).join('')}`],
    ['brackets that never close', '['.repeat(10_000)],
    ['brackets somewhat too deep', `${'['.repeat(70)}${']'.repeat(70)}`],
  ])('%s are refused as nested too deeply', async (_title, text) => {
    expect(await messageOf(`${head}environments: ${text}\n`)).toMatch('nested more than 64 levels deep');
  });

  test('a billion laughs are refused without expanding them', async () => {
    const lines = 'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(10)}]\n`);
    expect(await messageOf(`${head}a: &a [x, x, x, x, x, x, x, x, x, x]\n${lines.join('')}`)).toMatch(
      'expand to more than',
    );
  });

  test('merge keys that multiply are refused too', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `k${index}: 1`).join(', ');
    const uses = Array.from({ length: 100 }, (_, index) => `b${index}: { <<: [${'*a,'.repeat(100)}] }\n`).join('');
    expect(await messageOf(`${head}a: &a { ${keys} }\n${uses}`)).toMatch('expand to more than');
  });

  test('a reasonable number of aliases and merge keys is allowed', async () => {
    const { resources } = await bench().manifest(
      `${head}variables: { shared: { default: a } }
environments:
  production:
    redis:
      one: &base { dockerImage: redis:7, databasePassword: one-password, env: &env { A: "1", B: "2" } }
      two: { <<: *base, dockerImage: redis:8, env: { <<: *env, B: "3" } }
`,
    );
    const two = resources.find((resource) => resource.address === 'production.redis.two');
    expect(two?.fields['dockerImage']?.content.reveal()).toEqual({ is: 'value', value: 'redis:8' });
    const env = [...(two?.maps['env'] ?? [])].map(([key, wanted]) => [key, wanted.content.reveal()]);
    expect(env).toEqual([
      ['B', { is: 'value', value: '3' }],
      ['A', { is: 'value', value: '1' }],
    ]);
  });
});

describe('a manifest that users rarely mean', () => {
  test('warns of two domains with the same host and path', async () => {
    expect(
      await warningsOf(
        domains('{ a.example.com: { serviceName: web }, b: { host: §A.example.com, serviceName: web } }'),
      ),
    ).toEqual(['warning overlap at the mark']);
  });

  test('does not warn of two hosts, or of two paths of one host', async () => {
    const two = '{ a.example.com: { serviceName: web }, b: { host: a.example.com, path: /b, serviceName: web } }';
    expect(await warningsOf(domains(two))).toEqual([]);
  });

  test('warns of a backup with a prefix inside that of another of its service, whose clean-up deletes its files', async () => {
    const nightly = 'schedule: "0 3 * * *", destinationId: dst_1, prefix: shop/';
    const hourly = '{ schedule: "0 * * * *", destinationId: dst_1, prefix: §shop/hourly }';
    const both = (more: string) => postgres(`        backups: { nightly: { ${nightly}${more} }, hourly: ${hourly} }\n`);
    expect(await warningsOf(both(', keepLatestCount: 7'))).toEqual(['warning overlap at the mark']);
    expect(await warningsOf(both(''))).toEqual([]);
  });

  test('does not warn of backups of two services, and of the platform, which have folders of their own', async () => {
    const backups =
      'backups: { n: { schedule: "0 3 * * *", destinationId: dst_1, prefix: shop/, keepLatestCount: 7 } }';
    const database = (name: string) =>
      `${name}: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, ${backups} }`;
    const two = `environments: { production: { postgres: { ${database('a')}, ${database('b')} } } }\n`;
    expect(await warningsOf(`${head}${two}`)).toEqual([]);
    const nested = backups.replace(' } }', ' }, m: { schedule: "0 4 * * *", destinationId: dst_1, prefix: shop/m } }');
    expect(await warningsOf(`${head}${nested}\n`)).toEqual([]);
  });

  test.each([
    ['uploads', 'uploads', 1],
    ['uploads', 'uploads-thumbs', 1],
    ['uploads-thumbs', 'uploads', 0],
    ['uploads', 'media', 0],
  ])('of a volume backup of %s that keeps 3, beside one of %s with its prefix: %i', async (kept, other, count) => {
    const of = (name: string) => `{ volumeName: ${name}, cronExpression: "0 3 * * *", destinationId: dst_1, prefix: v/`;
    const both = `{ a: ${of(kept)}, keepLatestCount: 3 }, b: ${of(other)} } }`;
    const found = await warningsOf(postgres(`        volumeBackups: ${both}\n`));
    expect(found).toHaveLength(count);
  });

  test('does not warn of prefixes that only begin with the same letters', async () => {
    const one = '{ schedule: "0 3 * * *", destinationId: dst_1, prefix: shop }';
    const two = '{ schedule: "0 3 * * *", destinationId: dst_1, prefix: shop-two }';
    expect(await warningsOf(postgres(`        backups: { one: ${one}, two: ${two} }\n`))).toEqual([]);
  });
});

describe('an unusual but valid manifest', () => {
  test.each([
    ['a byte order mark', `\uFEFF${head}`],
    ['Windows line ends', `${head}environments:\n  production: {}\n`.replaceAll('\n', '\r\n')],
    ['a document with its marks', `---\n${head}...\n`],
    ['an empty section', `${head}environments: {}\n`],
    [
      'null for a port and a path, which have a default',
      domains('{ a.example.com: { serviceName: web, port: null, path: null } }'),
    ],
    ['null for a description', postgres('        description: null\n')],
    [
      'keys with spaces, quotes, brackets, dots and signs of any language',
      `${head}environments: { "a b": {}, 'c"d': {}, "e[f]": {}, "g.h": {}, "日本": {}, "🚀": {} }\n`,
    ],
    [
      'keys of env that every object has',
      postgres('        env: { constructor: x, toString: y, hasOwnProperty: z }\n'),
    ],
  ])('%s', async (_title, text) => {
    expect((await problemsOf(text)).problems).toEqual([]);
  });

  test('includes files by a pattern that also matches the manifest and a folder', async () => {
    const made = bench();
    mkdirSync(join(made.folder, 'folder.yaml'));
    const { resources } = await made.manifest({
      'trueup.yaml': `${head}include: ["*.yaml"]\n`,
      'b.yaml': 'environments: { production: {} }\n',
    });
    expect(resources.map((resource) => resource.address)).toEqual(['production']);
  });

  test('includes a file once that two entries name', async () => {
    const files = {
      'trueup.yaml': `${head}include: [b.yaml, "*.yaml", ./b.yaml]\n`,
      'b.yaml': 'environments: { production: {} }\n',
    };
    const { resources } = await bench().manifest(files);
    expect(resources.map((resource) => resource.address)).toEqual(['production']);
  });

  test('reads a file of the workspace with a name that begins with two dots', async () => {
    const files = {
      'trueup.yaml': `${head}environments: { production: { description: "\${file:..notes}" } }\n`,
      '..notes': 'hello',
    };
    const [production] = (await bench().manifest(files)).resources;
    expect(production?.fields['description']?.content.reveal()).toEqual({ is: 'value', value: 'hello' });
  });

  test('reads yes as text and 0755 as decimal, also below a %YAML 1.1 line', async () => {
    const text = `%YAML 1.1\n---\n${head}environments: { production: { env: { A: yes, B: 0755 } } }\n`;
    const [production] = (await bench().manifest(text)).resources;
    const env = [...(production?.maps['env'] ?? [])].map(([key, wanted]) => [key, wanted.content.reveal()]);
    expect(env).toEqual([
      ['A', { is: 'value', value: 'yes' }],
      ['B', { is: 'value', value: '0755' }],
    ]);
  });

  test('spreads sections and environments over files', async () => {
    const { resources } = await bench().manifest({
      'trueup.yaml': `${head}include: [a.yaml, b.yaml]\nenvironments: { production: {} }\n`,
      'a.yaml': 'environments: { production: { redis: { a: {} } } }\n',
      'b.yaml': 'environments: { production: { redis: { b: {} } }, staging: {} }\n',
    });
    expect(resources.map((resource) => resource.address)).toEqual([
      'production',
      'production.redis.a',
      'production.redis.b',
      'staging',
    ]);
  });
});

describe('keys that every JavaScript object has', () => {
  test('name resources like any other, from the plan to the state', async () => {
    const made = bench();
    const redis =
      '{ redis: { __proto__: { dockerImage: redis:8, databasePassword: pass-word-1, env: { toString: "1" } } } }';
    const text = `${head}environments: { production: {}, __proto__: ${redis}, constructor: ${redis}, toString: {} }\n`;
    await made.apply(text, { adoption: true });
    expect(Object.keys(made.store.state?.resources ?? {}).toSorted()).toEqual([
      '["__proto__"]',
      '["__proto__"].redis["__proto__"]',
      '["constructor"]',
      '["constructor"].redis["__proto__"]',
      '["toString"]',
      'production',
    ]);
    expect((await made.plan(text)).actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  });
});
