import { onceFor } from '../api/once.ts';
import { pathOf } from '../kind/attribute.ts';
import { groupBy } from '../kind/group.ts';
import { withHidden } from '../manifest/wanted.ts';
import type { Action, AttributeChange } from './action.ts';
import { restarting } from './summary.ts';

/** A secret that gets a new value in place of another one. */
interface RotatedSecret {
  readonly secret: string;
  readonly writtenAt: readonly string[];
  /** The services that restart to run with the new value. */
  readonly restarts: readonly string[];
  /** The services whose clients connect with it: they change first. Left out where there are none. */
  readonly changedFirst?: readonly string[];
  /** The services that connect with the old value until they restart. */
  readonly clients?: readonly string[];
}

/** The secrets that get new values, with the services that restart because of each. */
export function rotationsIn(actions: readonly Action[]): RotatedSecret[] {
  const restarts = restarting(actions);
  const rotated = actions.flatMap((action) =>
    action.attributes.flatMap((planned) =>
      planned.rotation === undefined || !writesValue(planned)
        ? []
        : [...planned.rotation.secrets].map((secret) => [secret, { action, planned }] as const),
    ),
  );
  return [...groupBy(rotated)].map(([secret, written]) => {
    const users = new Set(written.flatMap(({ action, planned }) => deployedWith(action, planned, actions, secret)));
    const first = new Set(written.flatMap(({ action, planned }) => (planned.field.isCredential ? action.address : [])));
    const clients = [...servicesIn(actions).keys()].filter((address) => users.has(address) && !first.has(address));
    return {
      secret,
      writtenAt: [...new Set(written.map(({ action }) => action.address))],
      restarts: restarts.filter((address) => users.has(address)),
      ...(first.size === 0 ? {} : { changedFirst: [...first], clients }),
    };
  });
}

/** Whether a plan writes an attribute. */
export function writesValue({ decision }: AttributeChange): boolean {
  return decision.do === 'write' || decision.do === 'replace';
}

/** The services that a deployment gives the new value of an attribute. */
function deployedWith(
  action: Action,
  planned: AttributeChange,
  actions: readonly Action[],
  secret: string,
): readonly string[] {
  const own = serviceOf(action, actions);
  if (own === undefined) return usersOf(action, planned, actions, secret);
  const below = action.address.slice(own.address.length + 1);
  const path = [...(below === '' ? [] : [below]), pathOf(action.kind, planned.attribute)].join('.');
  return becauseOf(own).some((one) => one === path || one === below) ? [own.address] : [];
}

/** The service that an action is of; undefined for what stands above services. */
export function serviceOf({ address, scope }: Action, actions: readonly Action[]): Action | undefined {
  const services = servicesIn(actions);
  return services.get(address) ?? services.get(scope);
}

const servicesIn = onceFor(
  (actions: readonly Action[]): ReadonlyMap<string, Action> =>
    new Map(actions.flatMap((one) => (one.service === undefined ? [] : [[one.address, one]]))),
);

/**
 * The services that are deployed with the new variables of something above them. `secret`: only for variables that this
 * secret flows into.
 */
export function usersOf(
  { address }: Action,
  { attribute: { field: name, key }, field, wanted }: AttributeChange,
  actions: readonly Action[],
  secret: string | undefined,
): readonly string[] {
  const mark = (text: string, one?: string) => (one === secret ? secretMark : text);
  const text = wanted === undefined || secret === undefined ? undefined : withHidden(wanted, () => undefined, mark);
  const inText = typeof text === 'string' ? field.map?.read(text) : undefined;
  const holds = (variable: string) => inText === undefined || inText.get(variable)?.includes(secretMark) === true;
  const path = `${address}.${name}.`;
  const isMeant = (one: string) =>
    key === undefined ? one.startsWith(path) && holds(one.slice(path.length)) : one === path + key;
  const services = [...servicesIn(actions).values()];
  return services.filter((service) => becauseOf(service).some(isMeant)).map((service) => service.address);
}

/** Stands for a secret in a text. No value holds the character. */
const secretMark = '\0';

function becauseOf({ service }: Action): readonly string[] {
  return service?.staleness?.because ?? [];
}
