/** The part of a JSON schema of openapi.json that is described. */
export type DescribedSchema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly DescribedSchema[]
  items?: DescribedSchema
  properties?: Readonly<Record<string, DescribedSchema>>
  required?: readonly string[]
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
}
type DescribedField = { name: string; type: string; required: boolean; description: string }

/** The fields of an object, those of objects in it too: `customer.phone`, `items[].amount`. What a schema refers to by name is not opened. */
export function listFields(schema: DescribedSchema, prefix = ''): DescribedField[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name: `${prefix}${name}`,
      type: describeType(field),
      required: schema.required?.includes(name) ?? false,
      description: field.description ?? '',
    },
    ...listFields(field, `${prefix}${name}.`),
  ])
  const inItems = schema.items === undefined ? [] : listFields(schema.items, `${prefix.replace(/\.$/, '')}[].`)
  return [...own, ...inItems, ...(schema.anyOf ?? []).flatMap((choice) => listFields(choice, prefix))]
}

/** Describes the type of a value in a few words. */
export function describeType(schema: DescribedSchema): string {
  if (schema.$ref !== undefined) return linkTo(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(describeType))].join(' or ')
  if (schema.items !== undefined) return `list of ${describeType(schema.items)}`
  return [[schema.type ?? 'any'].flat().join(' or '), ...describeBounds(schema)].join(', ')
}

const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`

function describeBounds({ format, minimum, maximum, maxLength }: DescribedSchema): string[] {
  return [
    ...(format === undefined || format === 'int64' ? [] : [format]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ]
}
