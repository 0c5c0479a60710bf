import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** Names that every plain object of JavaScript answers for. */
const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'];

const manifest = (rest: string) => `trueup: 1
platform: emulator
project: prj_1
${rest}
`;
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
    expect(err).toContain(`the state has no resource ${name}`);
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
});
