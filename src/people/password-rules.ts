import { invalidRequest } from '../platform/refusal.ts'
import { LONG_COMMON, WORDS } from './common-passwords.ts'

const FEWEST = 12
const MOST = 128
// People put these behind a word to make it longer.
const TAILS = [
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '123456',
  '1234567',
  '12345678',
  '123456789',
  '!',
  '1!',
  '123!',
  '1234!',
]
const ROWS = [
  '1234567890-=',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
]
const LONGEST_UNIT = 4

/** Refuses a password that is too short, too long, or among the commonest. Any character may stand in it (reliability.md A69). */
export function judgePassword(password: string): void {
  const characters = [...password.normalize('NFC')].length
  if (characters < FEWEST || characters > MOST)
    throw invalidRequest(`password must be ${FEWEST} to ${MOST} characters`)
  if (/\p{Surrogate}/u.test(password)) throw invalidRequest('password has a character that is none')
  if (isCommon(password.toLowerCase()))
    throw invalidRequest('password is one of the commonest: choose another, such as four words of your own')
}

/**
 * Nearly all of the ten thousand commonest passwords are shorter than twelve characters. The others are a short list, words that people
 * make longer by writing them twice or with digits behind, and runs over the keyboard.
 */
function isCommon(password: string): boolean {
  return COMMON.has(password) || isRepeated(password) || isRun(password)
}

const COMMON = new Set([
  ...LONG_COMMON,
  ...WORDS.flatMap((word) => [`${word}${word}`, ...TAILS.map((tail) => `${word}${tail}`)]),
  ...WORDS.flatMap((word) => YEARS().map((year) => `${word}${year}`)),
])

function YEARS(): string[] {
  return Array.from({ length: 60 }, (_, index) => String(1975 + index))
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isRepeated(password: string): boolean {
  for (let unit = 1; unit <= LONGEST_UNIT; unit += 1)
    if (
      password ===
      password
        .slice(0, unit)
        .repeat(Math.ceil(password.length / unit))
        .slice(0, password.length)
    )
      return true
  return false
}

/** `123456789012`, `qwertyuiop[]`, forwards or backwards. */
function isRun(password: string): boolean {
  const backwards = [...password].reverse().join('')
  const runs = ROWS.map((row) => row.repeat(Math.ceil(password.length / row.length) + 1))
  return runs.some((run) => run.includes(password) || run.includes(backwards))
}
