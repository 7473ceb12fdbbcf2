import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { CsvFile } from './bodies/body-content.ts'
import { isJsonObject } from './bodies/parse-body.ts'
import type { Endpoint } from './endpoint.ts'

/** The part of a schema that says which names a value may have. `raw`: its handler has its own rules. */
type NamedSchema = {
  type?: string
  raw?: boolean
  properties?: Record<string, NamedSchema>
  items?: NamedSchema
}

// A request may have any number of names: the first ones say what is wrong.
const MAX_NAMES = 20
const MAX_NAME_CHARACTERS = 60
// To list the names of an object takes time with their number, in one piece: a body of 29,000 names would hold the others up.
const MAX_SEARCHED_BYTES = 64 * 1024
const ODD_CHARACTER = /[^A-Za-z0-9_.[\]-]/g
// A name may be a phone: five digits or more are not repeated.
const MANY_DIGITS = /\d{5,}/g
const NO_MEMBERS: NamedSchema = {}

/** Notes the query parameters that the endpoint does not know. */
export function noteIgnoredQuery(request: FastifyRequest, { query }: Pick<Endpoint<never>, 'query'>): void {
  noteIgnored(request, query, request.query)
}

/** Notes the members of a JSON body of up to 64 KiB that the endpoint does not know. Every payment passes here. */
export function noteIgnoredMembers(
  request: FastifyRequest,
  { body }: Pick<Endpoint<never>, 'body'>,
  content: unknown,
): void {
  if (body === undefined || (Buffer.isBuffer(request.body) && request.body.length > MAX_SEARCHED_BYTES)) return
  noteIgnored(request, body, content)
}

function noteIgnored(request: FastifyRequest, schema: TSchema | undefined, value: unknown): void {
  if (!isJsonObject(value) || value instanceof CsvFile) return
  const names = new Set<string>()
  listUnknown((schema as NamedSchema | undefined) ?? NO_MEMBERS, value, { path: '', names })
  if (names.size === 0) return
  const text = [...names].join(', ')
  request.ignored = request.ignored === null ? text : `${request.ignored}, ${text}`
}

type Search = { path: string; names: Set<string> }

function listUnknown(schema: NamedSchema, value: Record<string, unknown>, { path, names }: Search): void {
  const { properties = {} } = schema
  for (const name in value) {
    if (names.size >= MAX_NAMES) return
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) names.add(formatName(path + name))
    else if (known.raw !== true) listInside(known, value[name], { path: path + name, names })
  }
}

function listInside(schema: NamedSchema, value: unknown, { path, names }: Search): void {
  if (schema.type === 'object' && schema.properties !== undefined && isJsonObject(value))
    listUnknown(schema, value, { path: `${path}.`, names })
  if (schema.type !== 'array' || schema.items?.type !== 'object' || !Array.isArray(value)) return
  for (const entry of value) if (isJsonObject(entry)) listUnknown(schema.items, entry, { path: `${path}[].`, names })
}

const formatName = (name: string): string =>
  name.slice(0, MAX_NAME_CHARACTERS).replace(ODD_CHARACTER, '?').replace(MANY_DIGITS, '#') || '?'
