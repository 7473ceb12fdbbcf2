import type { Static, TSchema } from 'typebox'
import { invalidRequest, Refusal } from '../../../platform/refusal.ts'
import { requirePhone } from '../../../platform/text/phone.ts'
import { echo, hasForbiddenControl, isLongerThan } from '../../../platform/text/text.ts'
import { parseMetadata } from './metadata.ts'

// The part of JSON Schema that request bodies of this product use.
type BodySchema = {
  type?: string
  enum?: readonly string[]
  format?: string
  maxLength?: number
  properties?: Record<string, BodySchema>
  required?: readonly string[]
  items?: BodySchema
  /** Any names, with texts: metadata. */
  additionalProperties?: unknown
  lines?: boolean
  /** Passed on unread, absent or not: its handler has its own rules and texts. */
  raw?: boolean
}

/**
 * Parses a body by its schema. The form of a body is checked here and nowhere else. Fields are checked in the order of the schema (the
 * order of the spec), and the first fault is thrown as `invalid request: ...`. Nothing is coerced; null and blank optional fields are
 * absent; unknown fields are dropped; phones come out normalised (contract.md 2.0).
 */
export function parseBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (!isJsonObject(body)) throw invalidRequest('body must be a JSON object')
  return parseObject(schema as BodySchema, body, '') as Static<Schema>
}

/** The result of parsing a part of a body by itself: a problem in it does not refuse the rest. */
type ParsedPart<Read> = { ok: true; value: Read } | { ok: false; problem: string }

/** Parses one part like a body. The problem is the text that would follow `invalid request: `. */
export function parseBodyPart<Schema extends TSchema>(
  schema: Schema,
  part: Record<string, unknown>,
): ParsedPart<Static<Schema>> {
  try {
    return { ok: true, value: parseBody(schema, part) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ok: false, problem: error.message.slice(INVALID_REQUEST_PREFIX.length) }
  }
}

const INVALID_REQUEST_PREFIX = invalidRequest('').message

type BodyField = { name: string; field: BodySchema; required: boolean }

const fieldsBySchema = new WeakMap<BodySchema, readonly BodyField[]>()

/** Lists the fields of a schema. Cached by schema, because every payment parses a body. */
function listFields(shape: BodySchema): readonly BodyField[] {
  const cached = fieldsBySchema.get(shape)
  if (cached !== undefined) return cached
  const required = new Set(shape.required)
  const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => {
    return { name, field, required: required.has(name) }
  })
  fieldsBySchema.set(shape, fields)
  return fields
}

function parseObject(shape: BodySchema, value: Record<string, unknown>, path: string): Record<string, unknown> {
  const parsed: Record<string, unknown> = {}
  for (const { name, field, required } of listFields(shape)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (field.raw === true) {
      parsed[name] = member
      continue
    }
    const at = path === '' ? name : `${path}.${name}`
    const absent = member === undefined || member === null || (isTextField(field) && isBlank(member))
    if (absent && !(required && field.type === 'integer')) {
      if (required) throw invalidRequest(`${at} is required`, at)
      continue
    }
    parsed[name] = parseField(field, member, at)
  }
  return parsed
}

function parseField(field: BodySchema, value: unknown, at: string): unknown {
  if (field.enum) return parseChoice(field.enum, value, at)
  switch (field.type) {
    case 'integer':
      // An amount too large for a number becomes Infinity; it still counts as integral and is refused as too large.
      if (typeof value !== 'number' || (!Number.isInteger(value) && Number.isFinite(value)))
        throw invalidRequest(`${at} must be an integer`, at)
      return value === 0 ? 0 : value
    case 'string':
      return parseText(field, value, at)
    case 'boolean':
      if (typeof value !== 'boolean') throw invalidRequest(`${at} must be true or false`, at)
      return value
    case 'array':
      if (!Array.isArray(value)) throw invalidRequest(`${at} must be a list`, at)
      return field.items?.type === 'object' ? parseEntries(field.items, value, at) : value
    case 'object':
      if (!isJsonObject(value)) throw invalidRequest(`${at} must be an object`, at)
      return field.additionalProperties === undefined ? parseObject(field, value, at) : parseMetadata(value, at)
    default:
      return value
  }
}

/** Parses each entry by the schema of the list's items: `recipients[0].phone is required`. */
function parseEntries(shape: BodySchema, list: unknown[], at: string): Record<string, unknown>[] {
  return list.map((entry, index) => {
    if (!isJsonObject(entry)) throw invalidRequest(`${at}[${index}] must be an object`, `${at}[${index}]`)
    return parseObject(shape, entry, `${at}[${index}]`)
  })
}

function parseText(field: BodySchema, value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidRequest(`${at} must be a string`, at)
  if (hasForbiddenControl(value, field.lines ?? false)) throw invalidRequest(`${at} contains control characters`, at)
  if (field.maxLength !== undefined && isLongerThan(field.maxLength, value))
    throw invalidRequest(`${at} must be at most ${field.maxLength} characters`, at)
  if (field.format === 'phone') return requirePhone(value, at)
  if (field.format === 'email' && !isEmail(value)) throw invalidRequest(`${at} is not a valid email address`, at)
  return value
}

function parseChoice(choices: readonly string[], value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidRequest(`${at} must be a string`, at)
  if (!choices.includes(value))
    throw invalidRequest(`${at} must be one of ${choices.join(', ')} (got ${echo(value)})`, at)
  return value
}

/** One `@` with something on both sides (contract.md 2.0). */
function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && at < text.length - 1
}

const isTextField = (field: BodySchema) => field.type === 'string' || field.enum !== undefined
const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

/** Whether a parsed JSON value is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
