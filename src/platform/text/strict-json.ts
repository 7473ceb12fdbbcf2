import { isUtf8 } from 'node:buffer'
import { echo, isControl, isLineControl } from './text.ts'

export type StrictJsonResult = { ok: true; value: unknown } | { ok: false; problem: string }

const MAX_DEPTH = 32 // Contract 2.0. It also bounds every recursion over a parsed body.
// Values are counted by commas and opening brackets, fields by colons. A value costs as much time as some dozen bytes of text and a
// name more than a hundred; a bulk call of a thousand items has room for thirty names in each.
const MAX_VALUES = 120_000
const MAX_FIELDS = 30_000
export const NOT_JSON = 'body is not valid JSON'
const CONTROL = -1
const BAD_UNICODE = -2

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const SPACES = [0x09, 0x0a, 0x0d, 0x20]
const OPENING = [0x7b, 0x5b]

/** Whether it begins as a JSON object or list does. */
export const looksLikeJson = (raw: Buffer) => OPENING.includes(raw.find((byte) => !SPACES.includes(byte)) ?? 0)

/**
 * Parses a request body; `problem` says what is wrong with it, in the words that follow `invalid request: `. Refuses what JSON.parse
 * accepts: duplicate names, deep nesting, lone surrogates, control characters in strings (tab, LF and CR written as escapes pass; field
 * rules decide on them). A member `__proto__` is dropped like any unknown field.
 */
export function parseStrictJson(text: Buffer): StrictJsonResult {
  const members = countMembers(text)
  if (typeof members === 'string') return refused(members)
  const value = parseOrUndefined(text.toString('utf8'))
  if (value === undefined) return refused(NOT_JSON)
  return tidyMembers(value) === members ? { ok: true, value } : refused(describeDuplicate(text))
}

/** Parses like `parseStrictJson`, in steps, so that other requests can run between them. */
export function* parseStrictJsonInSteps(text: Buffer): Generator<void, StrictJsonResult, void> {
  const members = countMembers(text)
  if (typeof members === 'string') return refused(members)
  yield
  const value = parseOrUndefined(text.toString('utf8'))
  if (value === undefined) return refused(NOT_JSON)
  yield
  if (tidyMembers(value) === members) return { ok: true, value }
  yield
  return refused(describeDuplicate(text))
}

/** Counts the members of all objects in the text; returns a problem instead when there is one. */
const countMembers = (text: Buffer): number | string => (isUtf8(text) ? surveyBytes(text) : 'body is not valid UTF-8')

/** Names a duplicate field. Called only when parsing left fewer members than the text has. */
const describeDuplicate = (text: Buffer): string => `duplicate field ${echo(findDuplicate(text))}`

function refused(problem: string): StrictJsonResult {
  return { ok: false, problem }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Walks the bytes once, before any object is built. Counts members by their colons, and does not check that the text is JSON.
function surveyBytes(bytes: Buffer): number | string {
  let depth = 0
  let members = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number // `at` is below the length.
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1)
      if (at < 0) return at === CONTROL ? 'body contains control characters' : 'body contains invalid Unicode'
    } else if (isOpeningBracket(byte)) {
      depth += 1
      values += 1
      if (depth > MAX_DEPTH) return 'body is nested too deeply'
    } else if (isClosingBracket(byte)) depth -= 1
    else if (byte === COMMA) values += 1
    else if (byte === 0x3a) members += 1
    if (values > MAX_VALUES) return `body holds more than ${MAX_VALUES} values`
    if (members > MAX_FIELDS) return `body holds more than ${MAX_FIELDS} fields`
  }
  return members
}

// Index of the closing quote (the length when there is none), or CONTROL or BAD_UNICODE.
function endOfString(bytes: Buffer, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number // `at` is below the length.
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) {
      at = endOfEscape(bytes, at)
      if (at < 0) return at
    } else if (byte < 0x20 ? !isLineControl(byte) : isLateControl(bytes, at, byte)) return CONTROL
  }
  return at
}

// DEL, or the two UTF-8 bytes of a C1 control character.
function isLateControl(bytes: Buffer, at: number, byte: number): boolean {
  return byte === 0x7f || (byte === 0xc2 && (bytes[at + 1] ?? 0xff) < 0xa0)
}

// Index of the last byte of the escape, or CONTROL or BAD_UNICODE. What is no escape is left for JSON.parse to refuse.
function endOfEscape(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1]
  if (letter === 0x62 || letter === 0x66) return CONTROL // Backspace and form feed.
  if (letter !== LETTER_U) return at + 1
  const unit = hexUnit(bytes, at + 2)
  if (unit < 0) return at + 1
  if (isControl(unit) && !isLineControl(unit)) return CONTROL
  if (unit < 0xd800 || unit > 0xdfff) return at + 5
  return unit < 0xdc00 && lowSurrogateAt(bytes, at + 6) ? at + 11 : BAD_UNICODE
}

function lowSurrogateAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return false
  const unit = hexUnit(bytes, at + 2)
  return unit >= 0xdc00 && unit <= 0xdfff
}

// The UTF-16 unit written as four hexadecimal digits, or -1.
function hexUnit(bytes: Buffer, from: number): number {
  let unit = 0
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30
    else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) unit = unit * 16 + (byte | 0x20) - 0x57
    else return -1
  }
  return unit
}

// Counts the members of all objects inside, and deletes those called `__proto__`, which would set the prototype of a later copy.
function tidyMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += tidyMembers(item)
    return members
  }
  const object = value as Record<string, unknown> // Neither null nor an array, and made by JSON.parse.
  for (const name of Object.keys(object)) {
    members += 1 + tidyMembers(object[name])
    if (name === '__proto__') delete object[name]
  }
  return members
}

// The first name that its object already has. The bytes are known to be JSON.
function findDuplicate(bytes: Buffer): string {
  const open: Set<string>[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number // `at` is below the length.
    if (isOpeningBracket(byte)) open.push(new Set())
    else if (isClosingBracket(byte)) open.pop()
    else if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1)
      const name = nameAt(bytes, at, end)
      const names = open[open.length - 1]
      if (name !== null && names?.has(name)) return name
      if (name !== null) names?.add(name)
      at = end
    }
  }
  return ''
}

// The string between two quotes if a colon follows it, which makes it a name; else null.
function nameAt(bytes: Buffer, quote: number, end: number): string | null {
  let next = end + 1
  while ((bytes[next] ?? 0x3a) <= 0x20) next += 1
  if (bytes[next] !== 0x3a) return null
  const text = bytes.toString('utf8', quote + 1, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text // A JSON string is a string.
}

function isOpeningBracket(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b
}

function isClosingBracket(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d
}
