import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';
import { thinned } from '../support/whole.ts';

/** Names that every plain object of JavaScript answers for. */
const names = thinned(['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'], 2);

/** A name as a part of an address: in brackets, so that no address is the name of a member of every object. */
const quoted = (name: string): string => `["${name}"]`;

const write = (folder: string, text: string) => writeFileSync(join(folder, 'trueup.yaml'), text);

const manifest = (rest: string) => `trueup: 1
platform: emulator
project: prj_1
${rest}
`;
/** A manifest in which everything that a user names has one name, except a variable. */
const everything = (name: string, description = 'x') =>
  manifest(`environments:
  ${name}:
    env: { A: a }
    compose:
      ${name}:
        description: ${description}
        env: { REGION: eu }
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        files: { ${name}: { content: x } }
    postgres:
      ${name}:
        dockerImage: postgres:17
        databaseName: a
        databaseUser: a
        databasePassword: "\${secret:${name}}"
        description: "\${ref:compose.${name}.appName}"
        backups: { ${name}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ } }
outputs: { ${name}: "\${ref:${name}.compose.${name}.appName}" }
`);

const composeIn = (environment: string, description: string) =>
  manifest(`environments:
  ${environment}:
    compose:
      shop:
        description: ${description}
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }`);

describe('S16, U21: a name of a member of every object is a name like any other', () => {
  it.each(names)('S16: state show %s finds nothing', async (name) => {
    const folder = project(composeIn('production', 'x'));
    expect(await trueup(['apply', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
    const { code, err } = await trueup(['state', 'show', name, '-C', folder]);
    expect(code).toBe(1);
    expect(err).toContain(`the state has no resource ${quoted(name)}`);
  });

  it.each(names)('U21: ${env:%s} is not set', async (name) => {
    const folder = project(composeIn('production', `"x\${env:${name}}"`));
    const { code, err } = await trueup(['plan', '-C', folder]);
    expect(code).toBe(3);
    expect(err).toContain(`the environment variable ${name} is not set`);
  });

  it.each(names)('U21: the variable %s has its default, or is refused by name', async (name) => {
    const folder = project(
      composeIn('production', `"\${var:${name}}"`) + `variables: { ${name}: { default: blue } }\n`,
    );
    const { code, out, err } = await trueup(['plan', '-C', folder]);
    if (name === '__proto__') expect(err).toContain('a variable cannot have the name __proto__');
    else expect(out).toContain('description: blue');
    expect(code).toBe(name === '__proto__' ? 3 : 0);
  });

  it.each(names)('U21: the output %s is declared and printed', async (name) => {
    const folder = project(composeIn('production', 'x') + `outputs: { ${name}: blue }\n`);
    expect(await trueup(['output', name, '-C', folder])).toMatchObject({ code: 0, out: 'blue\n' });
    const without = project(composeIn('production', 'x') + `outputs: { other: blue }\n`);
    expect(await trueup(['output', name, '-C', without])).toMatchObject({ code: 1 });
  });

  it.each(names)('U21: the output %s is checked', async (name) => {
    const folder = project(composeIn('production', 'x') + `outputs: { ${name}: { a: 1 } }\n`);
    expect(await trueup(['validate', '-C', folder])).toMatchObject({
      code: 3,
      err: expect.stringContaining(`outputs.${name}`) as string,
    });
  });

  it.each(names)('S16: an environment %s is created, kept in the state and shown', async (name) => {
    const folder = project(composeIn(name, 'x'));
    const applied = await trueup(['apply', '--auto-approve', '-C', folder]);
    expect(applied).toMatchObject({ code: 0 });
    expect((await trueup(['plan', '-C', folder])).out).toContain('No changes.');
    const listed = (await trueup(['state', 'list', '-C', folder])).out;
    expect(listed).toContain(name);
    const address =
      listed
        .split('\n')
        .find((line) => line.includes('compose'))
        ?.split(/\s+/)[0] ?? '';
    expect(await trueup(['state', 'show', address, '-C', folder])).toMatchObject({ code: 0 });
  });

  it.each(names.slice(0, 3))(
    'S16: what has the name %s is planned, applied, shown, run and completed',
    async (name) => {
      const folder = project(everything(name));
      const run = async (...args: string[]) => {
        const finished = await trueup(args, { cwd: folder, env: { [`TRUEUP_SECRET_${name}`]: 'correct-horse' } });
        expect([args, finished.out + finished.err]).toEqual([args, expect.not.stringContaining('defect of Trueup')]);
        return finished;
      };
      const done = async (...args: string[]) => {
        const { code, out, err } = await run(...args);
        expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
        return out;
      };
      const plansNothing = async () => expect(await done('plan')).toContain('No changes.');
      const part = quoted(name);
      const service = `${part}.compose${part}`;
      const database = `${part}.postgres${part}`;
      const addresses = [part, service, `${service}.files${part}`, database, `${database}.backups${part}`];

      await done('validate');
      await done('plan', '--out', 'plan.trueup');
      await done('apply', 'plan.trueup');
      await plansNothing();
      const lines = (await done('state', 'list')).trim().split('\n');
      expect(new Set(lines.map((line) => line.split(/\s+/)[0]))).toEqual(new Set(addresses));
      for (const address of addresses) {
        expect(await done('state', 'show', address)).toContain(address);
        expect((await run('import', address, 'x')).err).toContain(`${address} manages`);
      }
      expect(await done('output', name)).toMatch(/^\S+\n$/);
      expect(
        Object.keys((JSON.parse(await done('output', '--format', 'json')) as { outputs: object }).outputs),
      ).toEqual([name]);
      for (const words of [[], [name], [service]]) expect(await done('status', ...words)).toContain(service);
      await done('run', 'start', service);
      await done('run', 'backup', `${database}.backups${part}`);
      await done('logs', database);
      const offered = async (...words: string[]) => (await done('complete', '--', ...words, '')).trim().split('\n');
      expect(await offered('import')).toEqual(addresses);
      expect(await offered('state', 'show')).toEqual(addresses.toSorted());
      expect(await offered('status')).toEqual([service, database].toSorted());
      expect(await offered('output')).toEqual([name]);

      write(folder, everything(name, 'y'));
      expect(await done('plan')).toContain('1 to update');
      await done('apply', '--auto-approve');
      await plansNothing();
      await done('destroy', '--auto-approve', '--allow-data-loss');
      expect(await done('state', 'list')).not.toContain(name);
    },
  );

  it.each(names)('U21: an object and an environment move to and from the name %s', async (name) => {
    const moved = (from: string, to: string) => `moved: [{ from: '${from}', to: '${to}' }]\n`;
    const folder = project(composeIn('staging', 'x'));
    const done = async (...args: string[]) => {
      const { code, out, err } = await trueup(args, { cwd: folder });
      expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
      return out;
    };
    await done('apply', '--auto-approve');
    for (const [from, to] of [
      ['staging', name],
      [name, 'staging'],
    ] as const) {
      write(folder, composeIn(to, 'x').replace('compose:', `name: staging\n    compose:`) + moved(from, to));
      const { code, out } = await trueup(['apply', '--auto-approve', '--format', 'json'], { cwd: folder });
      expect(code, out).toBe(0);
      expect(out).not.toMatch(/"action":"(create|delete|replace)"/);
      expect(await done('plan')).toContain('No changes.');
      expect(await done('state', 'show', `${to}.compose.shop`)).toContain('compose');
    }
  });

  it.each(names)('S16: what nobody declared is not found by the name %s', async (name) => {
    const folder = project(composeIn('production', 'x'));
    await trueup(['apply', '--auto-approve', '-C', folder]);
    for (const args of [
      ['state', 'show', name],
      ['output', name],
      ['status', name],
      ['logs', name],
      ['run', 'reload', name],
      ['run', name, 'production.compose.shop'],
      ['import', name, name],
      ['call', name],
      ['call', `compose.${name}`],
      ['call', 'compose.one', `${name}=x`],
      ['call', '--list', name],
      ['plan', '--format', name],
      ['plan', '--var', `${name}=x`],
      ['apply', '--deploy-timeout', `${name}=5`],
      ['completion', name],
      [name],
    ]) {
      const { code, out, err } = await trueup(args, { cwd: folder });
      expect([args, code, out + err]).toEqual([args, 1, expect.not.stringContaining('defect of Trueup')]);
      expect([args, err]).toEqual([args, expect.stringMatching(/\S/)]);
    }
  });

  it.each(names)('U21: the key %s of env is sent, or refused by name', async (name) => {
    const folder = project(composeIn('production', `x\n        env: { ${name}: a }`));
    const { code, out, err } = await trueup(['plan', '-C', folder]);
    if (name === '__proto__') expect(err).toContain('env.__proto__ cannot be passed unchanged');
    else expect(out).toContain(name);
    expect(code).toBe(name === '__proto__' ? 3 : 0);
  });

  it.each(names)('U21: %s is no key, no section, no type and no reference', async (name) => {
    const source = (type: string) => composeIn('production', 'x').replace('type: raw', `type: ${type}`);
    for (const [text, says] of [
      [composeIn('production', 'x') + `${name}: {}\n`, `a manifest has no key ${name}`],
      [composeIn('production', `x\n        ${name}: {}`), `a compose has no key ${name}`],
      [composeIn('production', 'x').replace('compose:', `${name}: {}\n    compose:`), `has no key ${name}`],
      [source(name), 'source.type'],
      [manifest(`environments: { production: { application: { a: { source: { type: ${name} } } } } }`), 'source.type'],
      [composeIn('production', `"\${ref:${name}.id}"`), 'there is no resource'],
      [composeIn('production', `"\${ref:compose.shop.${name}}"`), `has no output ${name}`],
    ] as const) {
      const { code, err } = await trueup(['validate', '-C', project(text)]);
      expect([code, err]).toEqual([3, expect.stringContaining(says)]);
      expect(err).not.toMatch(/defect of Trueup|native code/);
    }
  });
});
