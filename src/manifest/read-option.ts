import type { Json } from '../formats/json.ts';
import { toJson } from '../formats/yaml-node.ts';
import type { Written } from '../kind/written-keys.ts';
import { evaluate } from './evaluate-expressions.ts';
import { type FieldEvaluation, whatItIs } from './fields.ts';
import { misplacedSecret } from './misplaced-secret.ts';
import { adviceFor, wordsOf } from './problem.ts';
import { referenceName } from './reference.ts';
import { reshapedSetting } from './reshape.ts';
import { settingInstead } from './short-value.ts';
import type { Node } from './tree.ts';
import { knownValue } from './wanted.ts';

/** What a block says of one of its settings. `isConcealed`: a part of it must not show. */
export interface OptionValue {
  readonly is: 'option';
  readonly name: string;
  readonly value: Json;
  readonly isConcealed: boolean;
}

/** Reads a setting of a block; nothing where it is refused, which is reported. */
export function readOption(
  name: string,
  { schema, takesExpressions }: Extract<Written, { is: 'option' }>,
  node: Node,
  evaluation: FieldEvaluation,
): readonly OptionValue[] {
  const { report } = evaluation;
  const filled =
    takesExpressions === true ? filledIn(name, node, evaluation) : { value: toJson(node), isConcealed: false };
  if (filled === undefined) return [];
  const { value, isConcealed } = filled;
  const result = schema.safeParse(value);
  if (result.success) return [{ is: 'option', name, value: result.data as Json, isConcealed }]; // options are plain JSON
  const refused = { name, value, isSecret: isConcealed };
  const remedy =
    settingInstead(name, reshapedSetting(value), schema) ??
    whatItIs(name, schema, undefined, adviceFor(result.error, refused));
  report('wrong-type', wordsOf(result.error, refused), node.at, remedy);
  return [];
}

/** An option with its expressions filled in; undefined where it holds one that cannot be, which is reported. */
function filledIn(
  name: string,
  node: Node,
  evaluation: FieldEvaluation,
): { readonly value: Json; readonly isConcealed: boolean } | undefined {
  const refuseSecrets = misplacedSecret(name, node, evaluation.values);
  const { wanted, isUnknown } = evaluate(node, evaluation, { refuseSecrets });
  const [reference] = wanted.references;
  if (reference !== undefined) {
    const message = `${name} must not hold \${ref:${referenceName(reference)}}: it is read before anything is applied`;
    evaluation.report('bad-expression', message, node.at, 'Write the value itself, or a variable.');
  }
  const value = isUnknown ? undefined : knownValue(wanted);
  return value === undefined ? undefined : { value, isConcealed: wanted.isSecret };
}
