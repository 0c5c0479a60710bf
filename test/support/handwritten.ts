import { generator } from './random-stages.ts';

/** Files of a stage as people write them: in blocks and in braces, with comments, anchors, merge keys and either line break. */

type Replaced = readonly [old: string, fresh: string];

/** A redis of a stage, whose memory limit and variable A drift. */
export interface Handwritten {
  readonly name: string;
  /** Another stage includes its file too. */
  readonly isShared: boolean;
  /** The values of its file, of which each text stands in it once, and those that the platform gets. */
  readonly values: readonly [memory: Replaced, variable: Replaced];
  /** Where the values stand that win. */
  readonly from: 'block' | 'template' | 'changes';
  readonly env: string;
}

/** The files of a repository of which all but `trueup.yaml` and `own/…` are of several stages. */
export function handwritten(seed: number, count: number) {
  const random = generator(seed + 7);
  const files = new Map<string, string>();
  const all: Handwritten[] = [];
  const changes: string[] = [];
  for (let index = 0; index < count; index++) {
    const name = `r${seed}-${index}`;
    const isShared = random.below(2) === 0;
    const from = random.of(['block', 'template', 'changes'] as const);
    const [memory, variable] = [`${300 + index}Mi`, `old-${index}`];
    const text = styled(blockOf({ name, memory: from === 'template' ? undefined : memory, variable }, random), random);
    files.set(`${isShared ? 'shared' : 'own'}/${name}.yaml`, text);
    if (from === 'changes')
      changes.push(random.of([`${name}: { memoryLimit: 200Mi }`, `${name}:\n      memoryLimit: 200Mi   # ours`]));
    all.push({
      name,
      isShared,
      from,
      values: [
        [memory, '1Gi'],
        [variable, `new-${index}`],
      ],
      env: `A=new-${index}\nC=c`,
    });
  }
  const lines = changes.map((line) => `    ${line}\n`).join('');
  const root = `environment: staging   # this stage\ninclude: [templates.yaml, shared/*.yaml, own/*.yaml]\n# what differs\n${lines === '' ? '' : `changes:\n  redis:\n${lines}`}# end\n`;
  files.set(
    'templates.yaml',
    'templates:\n  store: # all\n    block: { dockerImage: "redis:8", memoryLimit: 256Mi }\n',
  );
  return { root: random.below(2) === 0 ? root : root.replaceAll('\n', '\r\n'), files, all };
}

type Random = ReturnType<typeof generator>;

function blockOf(
  { name, memory, variable }: { readonly name: string; readonly memory: string | undefined; readonly variable: string },
  random: Random,
): string {
  const use = memory === undefined || random.below(3) === 0;
  const password = `'\${secret:PW}'`;
  const quote = random.of(['', '"', "'"]);
  const value = `${quote}${variable}${quote}`;
  const fields = [
    ...(use ? ['use: store'] : ['dockerImage: redis:8']),
    `databasePassword: ${password}`,
    ...(memory === undefined ? [] : [`memoryLimit: ${memory}`]),
  ];
  const way = random.below(4);
  if (way === 0) return `redis: { ${name}: { ${fields.join(', ')}, env: { A: ${value}, C: c } } }   # in braces\n`;
  if (way === 1)
    return `x-env: &common { C: c }\nredis:\n  # one of ${name}\n  ${name}: { ${fields.join(', ')}, env: { <<: *common, A: ${value} } }\n`;
  const lines = fields.map((line) => `      ${line}${random.of(['', '   # why', '\n      # below'])}\n`).join('');
  const env = random.of([
    `&own\n         A: ${value}   # first\n         "C": c\n`,
    `{ A: ${value}, C: c }   # both\n`,
  ]);
  return `redis:\n   "${name}":   # the block\n${lines}\n      env: ${env}# end of ${name}\n`;
}

function styled(text: string, random: Random): string {
  const ended = random.below(4) === 0 ? text.replace(/\n$/, '') : text;
  const broken = random.below(3) === 0 ? ended.replaceAll('\n', '\r\n') : ended;
  return random.below(8) === 0 ? `\uFEFF${broken}` : broken;
}

/** Two root files, of which the second has an older tag, or none, and what it has to be with the tag of the first. */
export function handwrittenValues(seed: number) {
  const random = generator(seed + 11);
  const quote = random.of(['', '"', "'"]);
  const [fresh, old] = [`${quote}1.${seed}0${quote}`, random.of(['1.9', '"1.9"', "'1.9'"])];
  const head = `trueup: 1 # a stage\nplatform: emulator\nproject: prj_1\n`;
  const isThere = random.below(4) !== 0;
  const tag = isThere ? random.of([`tag: ${old}`, `"tag": ${old}`, `tag: &unused ${old}`, `tag:   ${old}`]) : undefined;
  const block = (lines: readonly string[]) =>
    `variables:   # values\n${lines.map((line) => `  # why\n  ${line}   # of this stage\n`).join('')}`;
  const braces = (lines: readonly string[]) => `variables: { ${lines.join(', ')} }   # values\n`;
  const written = random.of([block, braces])(['replicas: 3', ...(tag === undefined ? [] : [tag]), 'name: x']);
  const target = styled(`${head}environment: production\ninclude: [shop.yaml]\n${written}# end\n`, random);
  const source = styled(
    `${head}environment: staging\ninclude: [shop.yaml]\n${random.of([block, braces])([`tag: ${fresh}`, 'name: y'])}`,
    random,
  );
  return { source, target, expected: isThere ? target.replace(old, fresh) : undefined, tag: `1.${seed}0` };
}
