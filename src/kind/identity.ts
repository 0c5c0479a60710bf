import type { Json } from '../formats/json.ts';

/** Fields that together tell an object from others. */
type KeyFields = readonly string[];

/** Which object of the platform a block means. */
export interface Identity {
  /** The member of a row that holds the id, or a list of ids: then the first of them in alphabetical order. */
  readonly id: string;
  /** The member that takes the id in operations that do not call it by the row's name. */
  readonly idAs?: string;
  /** Members of the row that operations require under another name, by that name. */
  readonly requiredAs?: Readonly<Record<string, string>>;
  /**
   * Fields that together tell an object from the others of its parent. They find it when the state does not know its id;
   * the platform does not keep them unique. A function gets the values, where the fields depend on them. Only a kind with
   * `isSingle` has none.
   */
  readonly key: KeyFields | ((value: (field: string) => Json | undefined) => KeyFields);
  /** Fields whose values together only one object of the platform may have, whoever manages it. */
  readonly alone?: KeyFields;
  /** The field that has the YAML key as default; without it, the YAML key is a label only. */
  readonly keyField?: string;
  /** Fields that together name an object for people, where no field is the key; by default, the last text of `key`. */
  readonly label?: readonly string[];
  /** The address is the key alone, without the section: for the kind that all others stand below. */
  readonly addressedByKey?: true;
  /** The member of the answer to create that holds the row; without it, the answer is the row. */
  readonly answeredIn?: string;
  /** Create answers without an id: the object is the new row in the list. */
  readonly idFrom?: 'list';
  /** What must happen outside before the platform lists a new object; until then no plan creates it again. */
  readonly listedOnce?: string;
}
