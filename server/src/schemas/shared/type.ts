import type { Type as TypeBox } from 'typebox';

/** Schemas of properties that an object may lack. */
const optional = new WeakSet<object>();

const builders = {
  String: (options?: object) => ({ type: 'string', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Union: (anyOf: object[], options?: object) => ({ anyOf, ...options }),
  Object(properties: Record<string, object>, options?: object) {
    const required = Object.entries(properties).flatMap(([name, schema]) => (optional.has(schema) ? [] : [name]));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional(schema: object) {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** A plain schema; the caller names its type. */
  Unsafe: (schema: object) => schema,
};

/**
 * Builds JSON Schema, typed as TypeBox does it. TypeBox itself is only asked for types: these are the ten builders that we
 * use of it, and all of it would be a fifth of the modules that a server loads.
 */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
