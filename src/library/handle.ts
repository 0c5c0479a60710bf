declare const brand: unique symbol;

/** A value that users pass on and do not look into. Printed or serialised, it is an empty object. */
export interface Handle<Name extends string> {
  readonly [brand]: Name;
}

/** Makes and reads the handles of one name. */
export interface Handles<Name extends string, Content> {
  readonly make: (content: Content) => Handle<Name>;
  /** @throws {TypeError} when the value is no handle that `make` returned. */
  readonly read: (handle: Handle<Name>) => Content;
}

/** Makes a family of handles; the content of a handle lives as long as the handle. Never throws. */
export function createHandles<Name extends string, Content>(name: Name): Handles<Name, Content> {
  const contents = new WeakMap<object, Content>();
  return {
    make: (content) => {
      const handle = Object.freeze({});
      contents.set(handle, content);
      return handle as Handle<Name>;
    },
    read: (handle) => {
      const content = contents.get(handle);
      if (content === undefined) throw new TypeError(`this is no ${name} of Trueup`);
      return content;
    },
  };
}
