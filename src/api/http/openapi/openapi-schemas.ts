import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { assert } from '../../../platform/assert.ts'
import { MAX_ID_CHARACTERS } from '../../../platform/text/ids.ts'

/** A piece of the OpenAPI document, as plain JSON. */
export type JsonObject = Record<string, unknown>

/**
 * Renders schemas. Those with an `$id` are collected in `named` and only referred to. In requests (`render`) a list of words is closed
 * (`enum`) and its name ends with `Choice`. In answers (`renderAnswer`) it is a plain text that names today's words, so that a client
 * generated today accepts a word that is added tomorrow (decision 49).
 */
export type SchemaPrinter = {
  render(schema: TSchema): JsonObject
  renderAnswer(schema: TSchema): JsonObject
  named: JsonObject
}

type Render = (schema: TSchema) => JsonObject

// Keywords that only our own parser of bodies knows; `$id` becomes the name of a component.
const OWN_KEYWORDS = new Set(['$id', 'lines', 'raw', 'default', 'description'])
// The shape of a phone as it may be typed, before it is normalised (platform/text/phone.ts): a necessary condition, not the rule.
const WRITTEN_PHONE = '^[-(). ]*\\+?(?:[-(). ]*[0-9]){9,17}[-(). ]*$'
const OWN_FORMATS: Record<string, JsonObject> = { phone: { pattern: WRITTEN_PHONE } }

export function newSchemaPrinter(): SchemaPrinter {
  const named: JsonObject = {}
  const name = (component: string, rendered: JsonObject): JsonObject => {
    named[component] ??= rendered
    assert(isDeepStrictEqual(named[component], rendered), `two schemas are called ${component}`)
    return refTo('schemas', component)
  }
  const renderer = (finish: (rendered: JsonObject) => JsonObject): Render => {
    const inline = (schema: JsonObject) => finish(renderInline(schema, renderOne))
    const renderOne = (schema: TSchema): JsonObject => {
      const { $id, ...written } = schema as JsonObject
      if (typeof $id !== 'string') return inline(written)
      if (!Array.isArray(written.enum)) return name($id, inline(written))
      // What a list of words means differs from place to place, the words do not.
      const { description, examples, ...words } = written
      const isChoice = finish === keepClosedList && !isListOfModes(written.enum)
      const list = inline(words)
      const ref = isChoice ? name(`${$id}Choice`, { ...list, ...nameConstants($id, written.enum) }) : name($id, list)
      return { ...ref, ...(description === undefined ? {} : { description }), ...(examples ? { examples } : {}) }
    }
    return renderOne
  }
  return { render: renderer(keepClosedList), renderAnswer: renderer(openList), named }
}

// The product has two modes, and no third will come.
const MODES = 'test,live'
const isListOfModes = (words: readonly unknown[]) => words.join() === MODES

/** Names the constants that generators make of a list: in Go those of all lists share one space, and many lists have `pending`. */
const nameConstants = ($id: string, words: readonly string[]): JsonObject => ({
  'x-enum-varnames': words.map((word) => toConstant(`${$id}_${word}`)),
})
const toConstant = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]/g, '_')
    .toUpperCase()

const keepClosedList = (rendered: JsonObject): JsonObject => rendered

/** Turns a list of words into a text: generated clients read an `anyOf` as an object, and refuse an unknown word of an `enum`. */
function openList(rendered: JsonObject): JsonObject {
  const { type, enum: words, description, ...rest } = rendered
  if (!Array.isArray(words) || isListOfModes(words)) return rendered
  const known = `${words.map((word) => `\`${word}\``).join(', ')}; others may be added`
  return { type, description: inWords(description, known), ...rest, 'x-extensible-enum': words }
}

/** Joins the descriptions that there are. */
const inWords = (...descriptions: unknown[]) =>
  descriptions.filter((description) => description !== undefined).join('; ')

export const refTo = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` })

/** Builds the smallest valid request from the schema's own examples; null for a required field without one. */
export function buildExample(schema: TSchema): unknown {
  const { examples, enum: choices, properties, required } = schema as JsonObject
  if (Array.isArray(examples)) return examples[0]
  if (Array.isArray(choices)) return choices[0]
  if (properties === undefined) return null
  const needed = (required ?? []) as string[]
  return Object.fromEntries(
    Object.entries(properties as Record<string, TSchema>)
      .filter(([name]) => needed.includes(name))
      .map(([name, field]) => [name, buildExample(field)]),
  )
}

function renderInline(schema: JsonObject, render: Render): JsonObject {
  const { anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) {
    const { description, ...union } = renderUnion(anyOf as JsonObject[], render)
    if (description === undefined) return { ...union, ...rest }
    return { ...union, ...rest, description: inWords(rest.description, description) }
  }
  const out: JsonObject = {}
  if (Array.isArray(schema.enum)) out.type = 'string'
  // Without a format, generated clients in Go and Java use 32 bits, which a balance outgrows.
  if (schema.type === 'integer') out.format = 'int64'
  const prefix = findIdPrefix(schema)
  if (prefix !== undefined) Object.assign(out, { pattern: `^${prefix}[a-z0-9]+$`, maxLength: MAX_ID_CHARACTERS })
  const description = describeDefault(schema)
  if (description !== undefined) out.description = description
  for (const [keyword, value] of Object.entries(schema)) {
    if (OWN_KEYWORDS.has(keyword)) continue
    if (keyword === 'format') Object.assign(out, OWN_FORMATS[value as string] ?? { format: value })
    else if (keyword === 'properties') out.properties = renderEach(value as Record<string, TSchema>, render)
    else if (keyword === 'items') out.items = render(value as TSchema)
    else out[keyword] = value
  }
  return out
}

/** Finds the prefix of an id, which its description names; a secret is none, and nor is what may begin in two ways. */
export function findIdPrefix({ type, description }: JsonObject): string | undefined {
  if (type !== 'string') return undefined
  return /starts with `([a-z]{3,5}_)`(?! or|; shown)/.exec(String(description))?.[1]
}

/** Describes a `default` in words, because generated clients make a field with a default mandatory. */
function describeDefault({ description, default: absent }: JsonObject): unknown {
  if (absent === undefined) return description
  const meaning = `\`${absent}\` where it is absent`
  return description === undefined ? meaning : `${description}; ${meaning}`
}

function renderEach(fields: Record<string, TSchema>, render: Render): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, render(field)]))
}

/** Renders `X or null` as one type with two names, which client generators understand best. */
function renderUnion(choices: JsonObject[], render: Render): JsonObject {
  const [first, second] = choices.map((choice) => render(choice as TSchema))
  if (choices.length === 1 && first !== undefined) return first
  const nullable = choices.length === 2 && second?.type === 'null' && typeof first?.type === 'string'
  if (!nullable) return { anyOf: choices.map((choice) => render(choice as TSchema)) }
  const values = first.enum === undefined ? {} : { enum: [...(first.enum as unknown[]), null] }
  return { ...first, ...values, type: [first.type, 'null'] }
}
