import { hash, randomFillSync, randomUUID } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const TAG_CHARACTERS = 5
const RANDOM_CHARACTERS = 16 // 82 bits: an id cannot be guessed.
/** A longer text was never an id of ours and is refused unread. */
export const MAX_ID_CHARACTERS = 60
// The seconds since 1970 in base 36. At the end of 2038 they start over, which does no harm: only the position in an index depends on them.
const TIME_CHARACTERS = 6

// One call to the system generator serves a few hundred ids; a call per id would cost more than all the rest.
const pool = new Uint8Array(8192)
let poolPosition = pool.length

/** Makes a merchant's tag: five characters that every id of the merchant carries (ledger.md section 11). Not secret. */
export function newTag(): string {
  return randomText(ALPHABET, TAG_CHARACTERS)
}

/** Makes a public id: `prefix` (with its underscore) + the merchant's tag + 16 random characters (ledger.md section 11). */
export function newId(prefix: string, tag: string): string {
  return prefix + tag + randomText(ALPHABET, RANDOM_CHARACTERS)
}

/**
 * Makes a public id for rows that come in great numbers, with the second of `at` in six characters between prefix and tag. So the ids of
 * all merchants ascend together, and new rows go to the end of an index that begins with the id, whatever their merchant: few pages of it
 * are in use, however many merchants there are and however long the history is (decision 35).
 */
export function newAscendingId(prefix: string, tag: string, at: Date): string {
  return prefix + formatIdTime(at) + tag + randomText(ALPHABET, RANDOM_CHARACTERS)
}

/** Makes a text that comes before every ascending id of this second and later, and after those of before. */
export const makeFirstId = (prefix: string, at: Date): string => prefix + formatIdTime(at)

let lastTime = { second: -1, text: '' }

function formatIdTime(at: Date): string {
  const second = Math.max(0, Math.floor(at.getTime() / 1000))
  if (second !== lastTime.second)
    lastTime = { second, text: second.toString(36).padStart(TIME_CHARACTERS, '0').slice(-TIME_CHARACTERS) }
  return lastTime.text
}

/** Returns the merchant's tag inside an id; null when the text is no id of this prefix. */
export function parseTag(prefix: string, id: string): string | null {
  if (id.length < prefix.length + TAG_CHARACTERS + RANDOM_CHARACTERS || id.length > MAX_ID_CHARACTERS) return null
  if (!id.startsWith(prefix)) return null
  for (let at = prefix.length; at < id.length; at++) {
    if (!isIdCharacter(id.charCodeAt(at))) return null
  }
  // Ids of 1.3 and before have four characters of time, or none, behind the tag. They stay valid for good.
  const start =
    id.length === prefix.length + TIME_CHARACTERS + TAG_CHARACTERS + RANDOM_CHARACTERS
      ? prefix.length + TIME_CHARACTERS
      : prefix.length
  return id.slice(start, start + TAG_CHARACTERS)
}

/** Returns the merchant's tag inside an id of any prefix; null when the text is no id. */
export const parseTagOfAnyPrefix = (id: string): string | null => parseTag(id.slice(0, id.indexOf('_') + 1), id)

/**
 * Derives the reference that a rail sees for an id, in the form of a version-4 UUID. It follows from the id alone: a resend carries the
 * same reference, and it is as unique as the id.
 */
export function uuidFor(id: string): string {
  const hex = hash('sha256', id, 'hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Makes a UUID of version 7, which begins with the time `ms`, by which the request that it names is found. */
export const newUuidAt = (ms: number): string => uuidTime(ms) + randomUUID().slice(15)

let lastUuidTime = { ms: -1, text: '' }

function uuidTime(ms: number): string {
  if (ms !== lastUuidTime.ms) {
    const time = Math.floor(ms).toString(16).padStart(12, '0')
    lastUuidTime = { ms, text: `${time.slice(0, 8)}-${time.slice(8)}-7` }
  }
  return lastUuidTime.text
}

/** Returns the time in ms inside a UUID of version 7; null for any other text. */
export function parseUuidTime(text: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(text)
  return match === null ? null : Number.parseInt(`${match[1]}${match[2]}`, 16)
}

/** Draws `length` characters of `alphabet` from the system's random generator, each equally likely. */
export function randomText(alphabet: string, length: number): string {
  // Bytes beyond the last whole multiple would make the first characters likelier.
  const fair = 256 - (256 % alphabet.length)
  let text = ''
  for (let left = length; left > 0; ) {
    const byte = drawByte()
    if (byte >= fair) continue
    text += alphabet[byte % alphabet.length]
    left -= 1
  }
  return text
}

function drawByte(): number {
  if (poolPosition === pool.length) {
    randomFillSync(pool)
    poolPosition = 0
  }
  const byte = pool[poolPosition] as number // `drawn` is below the pool's length.
  pool[poolPosition] = 0 // A byte that became part of a secret does not stay behind.
  poolPosition += 1
  return byte
}

function isIdCharacter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
}
