import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomText } from './ids.ts'

export type ApiKeyKind = 'test' | 'live' | 'test_collections' | 'live_collections'

const PREFIXES = {
  test: 'sk_test_',
  live: 'sk_live_',
  test_collections: 'sk_test_col_',
  live_collections: 'sk_live_col_',
} satisfies Record<ApiKeyKind, string>

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_CHARACTERS = 27 // 160 bits.
const CHECKSUM_CHARACTERS = 6 // Room for 32 bits in base62.

/** A new API key in clear: prefix + 160 random bits + checksum (reliability.md 8.1). */
export function newApiKey(kind: ApiKeyKind): string {
  const unchecked = PREFIXES[kind] + randomText(BASE62, BODY_CHARACTERS)
  return unchecked + checksum(unchecked)
}

/** Parses a key; null when it cannot be one of ours, so that guesses and typing errors cost no query. */
export function parseApiKey(text: string): { kind: ApiKeyKind } | null {
  const kind = kindOf(text)
  if (kind === null) return null
  const prefix = PREFIXES[kind]
  if (text.length !== prefix.length + BODY_CHARACTERS + CHECKSUM_CHARACTERS) return null
  for (let at = prefix.length; at < text.length; at++) {
    if (!isBase62(text.charCodeAt(at))) return null
  }
  const unchecked = text.slice(0, -CHECKSUM_CHARACTERS)
  return text.endsWith(checksum(unchecked)) ? { kind } : null
}

/** The SHA-256 of the whole key, by which keys are stored and looked up. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

// The collections prefixes begin with the full ones; base62 has no underscore, so testing the longer ones first is enough.
function kindOf(text: string): ApiKeyKind | null {
  if (text.startsWith(PREFIXES.test_collections)) return 'test_collections'
  if (text.startsWith(PREFIXES.live_collections)) return 'live_collections'
  if (text.startsWith(PREFIXES.test)) return 'test'
  if (text.startsWith(PREFIXES.live)) return 'live'
  return null
}

// CRC-32 over prefix and body sees every change of up to four neighbouring characters, such as `test` for `live`.
function checksum(unchecked: string): string {
  let rest = crc32(unchecked)
  let digits = ''
  for (let at = 0; at < CHECKSUM_CHARACTERS; at++) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function isBase62(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}
