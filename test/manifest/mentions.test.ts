import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../src/manifest/mentions.ts';
import { oneError, problemsOf, told } from '../support/problems.ts';
import { head } from '../support/world.ts';
import { effort } from '../support/whole.ts';

describe('mentionsIn', () => {
  it.each([
    ['nothing special', []],
    ['${{environment.REGION}}', ['REGION']],
    ['${{environment.REGION}}-shop-${{environment.NAME}}', ['REGION', 'NAME']],
    ['${{environment.A}} ${{environment.A}}', ['A']],
    ['one: ${{environment.A}}\ntwo: ${{environment.B}}', ['A', 'B']],
    ['$${{environment.A}}', ['A']],
    ['${{environment.A}}}}', ['A']],
    ['${{environment.dotted.name-1}}', ['dotted.name-1']],
    ['${{environment.}}', ['']],
    // A space is part of the name, and before the word it is no mention of the environment.
    ['${{environment.A }} ${{environment. B}}', ['A ', ' B']],
    ['${{ environment.A}}', []],
    ['${{project.A}} ${{A}} ${A} $A ${environment.A}', []],
    ['${{Environment.A}}', []],
    ['${{environment.A', []],
    ['${{environment.A\n}} ${{environment.B}}', ['B']],
    ['${{environment.A} ${{environment.B}}', ['A} ${{environment.B']],
  ])('finds the names in %j', (text, names) => {
    expect(mentionsIn(text, 'environment')).toEqual(names);
  });

  it('finds those of what it is asked for', () => {
    expect(mentionsIn('${{project.A}} ${{environment.B}} ${{project.C}}', 'project')).toEqual(['A', 'C']);
  });

  it('finds the names that the pattern of the platform finds', () => {
    const piece = fc.constantFrom(
      '${{environment.',
      '}}',
      '}',
      '{',
      'A',
      ' ',
      '\n',
      '\r',
      '\u2028',
      '${{project.',
      '.',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        const found = [...text.matchAll(/\$\{\{environment\.(.*?)\}\}/g)].map((match) => match[1]);
        expect(mentionsIn(text, 'environment')).toEqual([...new Set(found)]);
      }),
      { numRuns: effort({ fast: 300, full: 2_000 }) },
    );
  });

  // To look for the end of each of them once more would take many minutes.
  it('searches a text of ten million characters without a closing brace once', () => {
    expect(mentionsIn('${{environment.} '.repeat(600_000), 'environment')).toEqual([]);
  });
});

/** An environment with a block of its own and a service in it. */
const manifest = (environment: string, service: string) => `${head}environments:
  production:
${environment.replaceAll(/^(?=.)/gm, '    ')}
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
${service.replaceAll(/^(?=.)/gm, '        ')}
`;

const declared = 'env: { REGION: eu, NAME: shop }';

describe('a mention of a variable', () => {
  it.each([
    ['that the environment declares', declared, 'env: { A: "${{environment.REGION}}-${{environment.NAME}}" }'],
    ['that it declares in a text', 'env: |\n  REGION=eu\n  NAME=x', 'env: { A: "${{environment.REGION}}" }'],
    ['when it declares no variables', 'description: Live.', 'env: { A: "${{environment.REGOIN}}" }'],
    ['when it merges', `${declared}\nenvMode: merge`, 'env: { A: "${{environment.REGOIN}}" }'],
    ['whose value is not known yet', 'env: { X: "${secret:NOT_HERE}" }', 'env: { A: "${{environment.X}}" }'],
    ['when its text needs a secret', 'env: "X=${secret:NOT_HERE}"', 'env: { A: "${{environment.REGOIN}}" }'],
    ['in a comment of a text', declared, 'env: |\n  # ${{environment.REGOIN}}\n  A=1'],
    ['in a field that the platform does not fill in', declared, 'description: "${{environment.REGOIN}}"'],
    ['of the project or of the service itself', declared, 'env: { A: "${{project.X}} ${{B}}", B: "" }'],
  ])('%s is allowed', async (_when, environment, service) => {
    const { problems } = await problemsOf(manifest(environment, service));
    expect(problems).toEqual([]);
  });

  it.each([
    ['in a map', declared, 'env:\n  OTHER: one\n  A: §"${{environment.REGOIN}}"', /env\.A: .*Did you mean REGION\?/],
    ['in a text', declared, 'env: §"A=1\\nB=${{environment.REGOIN}}"', /env\.B: .*Did you mean REGION\?/],
    [
      'beside a value that is not known yet',
      declared,
      'env: { A: §"${{environment.REGOIN}}/${secret:NOT_HERE}" }',
      /env\.A: .*REGOIN/,
    ],
    ['where the text does not have it', 'env: "REGION=eu"', 'env: { A: §"${{environment.REGOIN}}" }', /REGION\?/],
    [
      'where others are not known yet',
      'env: { X: "${secret:NOT_HERE}" }',
      'env: { A: §"${{environment.Y}}" }',
      /no variable Y Did you mean X/,
    ],
    ['where the map is empty', 'env: {}', 'env: { A: §"${{environment.X}}" }', /It declares none; declare X/],
    ['where the variables are cleared', 'env: null', 'env: { A: §"${{environment.X}}" }', /It declares none/],
    ['unlike any', declared, 'env: { A: §"${{environment.QQQQ}}" }', /It declares REGION, NAME; declare QQQQ/],
    ['of another case', declared, 'env: { A: §"${{environment.region}}" }', /Did you mean REGION\?/],
    ['with a space', declared, 'env: { A: §"${{environment.REGION }}" }', /by a name that no variable can have/],
    ['from a file', declared, 'env: { A: §"${file:a.txt}" }', /env\.A: .*REGOIN/],
  ])('of an undeclared variable is refused %s', async (_where, environment, service, says) => {
    const files = { 'trueup.yaml': manifest(environment, service), 'a.txt': '${{environment.REGOIN}}' };
    expect(await told(files)).toEqual(oneError('bad-reference', says));
  });

  it('gets one error for each name, with the address and the key', async () => {
    const service = 'env: { A: "${{environment.X}} ${{environment.X}} ${{environment.Y}}" }';
    const { problems } = await problemsOf(manifest(declared, service));
    expect(problems.map(({ address, message }) => `${address}: ${message}`)).toEqual([
      'production.redis.main: env.A: mentions ${{environment.X}}, and production declares no variable X',
      'production.redis.main: env.A: mentions ${{environment.Y}}, and production declares no variable Y',
    ]);
  });

  it('means the environment of its service and no other', async () => {
    const both = `${manifest(declared, 'env: { A: §"${{environment.ONLY_HERE}}" }')}  staging:
    env: { ONLY_HERE: yes }
    redis:
      main: { dockerImage: "redis:8", databasePassword: correct-horse-1, env: { A: "\${{environment.ONLY_HERE}}" } }
`;
    expect(await told(both)).toEqual(oneError('bad-reference', /ONLY_HERE/));
  });

  describe('through a variable of a project that is a block', () => {
    const through = (variables: string, environment: string, service: string) =>
      manifest(environment, service).replace('project: prj_1\n', `project: { name: shop, env: ${variables} }\n`);

    it.each([
      ['that the environment declares', '{ P: "${{environment.REGION}}" }', declared, '${{project.P}}'],
      [
        'in a variable that the service does not mention',
        '{ P: "${{environment.X}}", Q: a }',
        declared,
        '${{project.Q}}',
      ],
      [
        'when the environment declares no variables',
        '{ P: "${{environment.X}}" }',
        'description: Live.',
        '${{project.P}}',
      ],
    ])('is allowed %s', async (_when, variables, environment, text) => {
      const { problems } = await problemsOf(through(variables, environment, `env: { A: "${text}" }`));
      expect(problems).toEqual([]);
    });

    it.each([
      ['a map', '{ P: "x-${{environment.REGOIN}}" }'],
      ['a text', '"O=1\\nP=${{environment.REGOIN}}"'],
      ['a value with a secret', '{ P: "${{environment.REGOIN}}${secret:NOT_HERE}" }'],
    ])('is refused at the service that mentions it: %s', async (_form, variables) => {
      const service = 'env: { OTHER: a, A: §"${{project.P}} ${{project.P}}" }';
      expect(await told(through(variables, declared, service))).toEqual(
        oneError(
          'bad-reference',
          /env\.A: \$\{\{project\.P\}\} mentions \$\{\{environment\.REGOIN\}\}.*Did you mean REGION\?/,
        ),
      );
    });

    it('is refused once for a name that the service mentions itself as well', async () => {
      const service = 'env: { A: §"${{project.P}} ${{environment.X}}" }';
      const { problems } = await problemsOf(through('{ P: "${{environment.X}}" }', declared, service.replace('§', '')));
      expect(problems.map(({ message }) => message)).toEqual([
        'env.A: mentions ${{environment.X}}, and production declares no variable X',
      ]);
    });

    it('shows no value of the project', async () => {
      const variables = '{ P: "pass-1 ${{environment.X} pass-2 ${{environment.REGION}} pass-3" }';
      const { problems } = await problemsOf(through(variables, declared, 'env: { A: "${{project.P}}" }'));
      expect(problems).toHaveLength(1);
      expect(JSON.stringify(problems)).not.toContain('pass-');
    });
  });

  it.each([
    ['of the environment itself', '{ URL: "https://${{environment.HOST}}", HOST: a }', 'environment.HOST'],
    ['of itself', '{ URL: "${{environment.URL}}" }', 'environment.URL'],
    ['of the project', '"O=1\\nURL=${{project.HOST}}"', 'project.HOST'],
  ])('is refused where the value mentions a variable %s', async (_which, variables, inner) => {
    const text = manifest(`env: ${variables}`, 'env: { A: §"${{environment.URL}}", B: b }');
    const message = new RegExp(
      `env\\.A: mentions .*environment\\.URL}}, whose value mentions .*{${inner}}}, and the platform`,
    );
    expect(await told(text)).toEqual(oneError('bad-reference', message));
  });

  it('is allowed where no service mentions the variable, or the value is as any other', async () => {
    const variables = '{ URL: "${{environment.URL}}", HOST: "$${a} {{b}}" }';
    const { problems } = await problemsOf(manifest(`env: ${variables}`, 'env: { A: "${{environment.HOST}}" }'));
    expect(problems).toEqual([]);
  });

  it.each(['env', 'buildArgs', 'buildSecrets'])('is checked in %s of an application', async (field) => {
    const text = `${head}environments:
  production:
    env: { REGION: eu }
    application:
      web:
        source: { type: docker, image: nginx }
        ${field}: { A: §"\${{environment.REGOIN}}" }
`;
    expect(await told(text)).toEqual(oneError('bad-reference', `${field}.A`));
  });

  it('shows no value in its error, not even for an invalid name', async () => {
    const service = 'env: { A_PASSWORD: "pass-1 ${{environment.X} pass-2 ${{environment.REGION}} pass-3" }';
    const { problems } = await problemsOf(manifest('env: { REGION: pass-4 }', service));
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('pass-');
  });
});
