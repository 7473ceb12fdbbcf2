import type { TSchema } from 'typebox'
import {
  SAMPLE_CREATED_AT,
  type SampleValues,
  TAG_AND_REST,
  VALUE_BY_FIELD,
  VALUES_BY_SCHEMA,
  VALUES_WHEN_CREATED,
} from './sample-values.ts'

type SampleSchema = {
  $id?: string
  type?: string | readonly string[]
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly SampleSchema[]
  items?: SampleSchema
  properties?: Record<string, SampleSchema>
  required?: readonly string[]
  patternProperties?: Record<string, SampleSchema>
  additionalProperties?: SampleSchema
  description?: string
}

const MAX_DEPTH = 8

/** Builds an example of this schema. `values` are the values that its fields must have. */
function buildSample(schema: TSchema, values: SampleValues = {}): unknown {
  return buildValue(schema as SampleSchema, { name: '', depth: 0, values })
}

/** Builds an example of the response of an endpoint with this status. */
export function buildSampleAnswer(schema: TSchema, status: number): unknown {
  const { $id = '' } = schema as SampleSchema
  return buildSample(schema, status > 200 ? VALUES_WHEN_CREATED[$id] : {})
}

type SampleInput = { name: string; depth: number; values?: SampleValues }

function buildValue(part: SampleSchema, { name, depth, values = {} }: SampleInput): unknown {
  if (part.const !== undefined) return part.const
  if (part.enum !== undefined) return part.enum.includes(VALUE_BY_FIELD[name]) ? VALUE_BY_FIELD[name] : part.enum[0]
  if (part.anyOf !== undefined) return buildChoice(part.anyOf, { name, depth, values })
  switch ([part.type].flat()[0]) {
    case 'object':
      return depth > MAX_DEPTH ? {} : buildObject(part, { name, depth, values })
    case 'array':
      return part.items === undefined ? [] : [buildValue(part.items, { name, depth: depth + 1 })]
    case 'integer':
    case 'number':
      return typeof VALUE_BY_FIELD[name] === 'number' ? VALUE_BY_FIELD[name] : 0
    case 'boolean':
      return VALUE_BY_FIELD[name] ?? true
    default:
      return buildText(part, name)
  }
}

/** Builds the first choice that is not null. A nullable field for which no value is listed is null. */
function buildChoice(choices: readonly SampleSchema[], { name, depth, values }: SampleInput): unknown {
  const isKnown = VALUE_BY_FIELD[name] != null || Object.keys(values ?? {}).length > 0
  const maybeNull = choices.some(({ type }) => type === 'null')
  const [first] = choices.filter(({ type }) => type !== 'null')
  return maybeNull && !isKnown ? null : buildValue(first ?? {}, { name, depth, ...(values ? { values } : {}) })
}

function buildObject(part: SampleSchema, { depth, values: requiredValues = {} }: SampleInput): SampleValues {
  const { $id = '', properties = {}, required = [] } = part
  const values: SampleValues = { ...VALUES_BY_SCHEMA[$id], ...requiredValues }
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || name in values)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      name in values ? values[name] : buildValue(field, { name, depth: depth + 1 }),
    ]),
  )
}

function buildText({ format, description = '' }: SampleSchema, name: string): string {
  const [, prefix] = /starts with `([a-z]+_)`/.exec(description) ?? []
  if (prefix !== undefined) return `${prefix}${TAG_AND_REST}`
  const known = VALUE_BY_FIELD[name]
  if (typeof known === 'string') return known
  return format === 'date-time' ? SAMPLE_CREATED_AT : 'text'
}
