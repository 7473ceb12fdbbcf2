import { randomBytes } from 'node:crypto'

// Marks a number as text while it passes through JSON.parse and JSON.stringify, which would change it. It cannot be
// guessed, so no text from outside is mistaken for a marked number.
const MARK = `${randomBytes(12).toString('hex')} `
const MARKED = new RegExp(`"${MARK}(-?[0-9][-+.0-9eE]*)"`, 'g')
// A number of at most this many digits, without sign, fraction and exponent, always comes back as it was written.
const SURELY_EXACT_DIGITS = 15
// Checking each number costs time, and no honest body has this many.
const MAX_NUMBERS_CHECKED = 10_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

/** A number as it was written, where a JavaScript number would lose digits: 1731234567890123457, 1.50. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  /** Marks it for `writeExactJson`, the only function that writes it as a number again. */
  toJSON(): string {
    return `${MARK}${this.text}`
  }
}

/** Formats a safe integer by its digits, however it was written (`1.0`); any other number as it was written. */
export function formatNumber(value: number | ExactNumber): string {
  const parsed = Number(value instanceof ExactNumber ? value.text : value)
  return Number.isSafeInteger(parsed) ? String(parsed) : String(value)
}

/**
 * Parses text that is known to be JSON like JSON.parse, but returns ExactNumbers for numbers that would change. Returns undefined when
 * more than ten thousand numbers would have to be checked.
 */
export function parseExactJson(text: string): unknown {
  const positions = findChangedNumbers(text)
  if (positions === null) return undefined
  if (positions.length === 0) return JSON.parse(text)
  let marked = ''
  let copiedTo = 0
  for (const [from, to] of positions) {
    marked += `${text.slice(copiedTo, from)}"${MARK}${text.slice(from, to)}"`
    copiedTo = to
  }
  return restoreNumbers(JSON.parse(marked + text.slice(copiedTo)))
}

/** Writes JSON like JSON.stringify, with ExactNumbers as they were written and every digit of a bigint. */
export function writeExactJson(value: unknown): string {
  const text = writeMarked(value)
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text
}

/** Tries JSON.stringify first: only sums of very many payments are bigints. */
function writeMarked(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return writeBigints(value)
  }
}

function writeBigints(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  const plain = typeof value !== 'object' || value === null || value instanceof Date
  if (plain || value instanceof ExactNumber) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(writeBigints).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeBigints(member)}`).join(',')}}`
}

/** Finds the positions (from, to) of numbers that JSON.parse would change; null when too many would have to be checked. */
function findChangedNumbers(text: string): [number, number][] | null {
  const positions: [number, number][] = []
  let checked = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at)
      if (mayChange(text, at, end)) {
        checked += 1
        if (checked > MAX_NUMBERS_CHECKED) return null
        const written = text.slice(at, end)
        if (String(Number(written)) !== written) positions.push([at, end])
      }
      at = end - 1
    }
  }
  return positions
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1
  return at
}

function mayChange(text: string, from: number, to: number): boolean {
  if (to - from > SURELY_EXACT_DIGITS) return true
  for (let at = from; at < to; at += 1) if (!isDigit(text.charCodeAt(at))) return true
  return false
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
// Digits, `+`, `-`, `.`, `e` and `E`: in JSON none of them stands beside a number without being part of it.
const isOfNumber = (code: number) =>
  isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || (code | 0x20) === 0x65

/** Replaces marked texts by ExactNumbers in a value that JSON.parse has just made. */
function restoreNumbers(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) value[at] = restoreNumbers(item)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  const members = value as Record<string, unknown> // Made by JSON.parse, and no list.
  for (const name of Object.keys(members)) {
    const member = members[name]
    const restored = restoreNumbers(member)
    // Defined, not assigned: assigning a member called `__proto__` would set the prototype.
    if (restored !== member)
      Object.defineProperty(members, name, {
        value: restored,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return value
}
