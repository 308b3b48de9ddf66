import { isDeepStrictEqual } from 'node:util';

/** A JSON schema, as far as the document looks into it. */
export type Schema = {
  title?: string;
  description?: string;
  examples?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

export type Shapes = ReturnType<typeof collectShapes>;

/** Gives each schema with a title a place of its own: it appears once, and generated clients have a name for it. */
export function collectShapes() {
  const shapes: Record<string, object> = {};

  /** The schema as it stands in the document. */
  function refer(schema: Schema): object {
    // An example of the whole shape stands beside the schema, where tools look for it.
    const { title, examples, ...rest } = inner(schema) as Schema;
    if (title === undefined) return { ...rest, ...(examples ? { examples } : {}) };
    const name = title.replace(/(^| )(\w)/g, (_, __, letter: string) => letter.toUpperCase());
    const shape = { title, ...rest };
    if (shapes[name] && !isDeepStrictEqual(shapes[name], shape)) throw new Error(`Two schemas are called ${title}.`);
    shapes[name] = shape;
    return { $ref: `#/components/schemas/${name}` };
  }

  function inner(schema: Schema): object {
    const { properties, items, anyOf } = schema;
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, refer(each)])),
      }),
      ...(items && { items: refer(items) }),
      ...(anyOf && { anyOf: anyOf.map(refer) }),
    };
  }

  /** The components that those schemas refer to. */
  const named = (): Record<string, object> => Object.fromEntries(Object.entries(shapes).sort(byName));
  return { refer, named };
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
