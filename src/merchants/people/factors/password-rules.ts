import { invalidRequest } from '../../../platform/refusal.ts'
import { COMMON_LONG_PASSWORDS, COMMON_WORDS } from './common-passwords.ts'

const MIN_CHARACTERS = 12
const MAX_CHARACTERS = 128
// People put these behind a word to make it longer.
const COMMON_TAILS = [
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
const KEYBOARD_ROWS = [
  '1234567890-=',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
]
const MAX_UNIT_CHARACTERS = 4

/** Refuses a password that is too short, too long, or among the commonest. Any character may stand in it (reliability.md A69). */
export function judgePassword(password: string): void {
  const characters = [...password.normalize('NFC')].length
  if (characters < MIN_CHARACTERS || characters > MAX_CHARACTERS)
    throw invalidRequest(`password must be ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters`, 'password')
  if (/\p{Surrogate}/u.test(password)) throw invalidRequest('password has a character that is none', 'password')
  if (isCommon(password.toLowerCase()))
    throw invalidRequest('password is one of the commonest: choose another, such as four words of your own', 'password')
}

/**
 * Nearly all of the ten thousand commonest passwords are shorter than twelve characters. The others are a short list, words that people
 * make longer by writing them twice or with digits behind, and runs over the keyboard.
 */
function isCommon(password: string): boolean {
  return COMMON.has(password) || isRepeated(password) || isRun(password)
}

const COMMON = new Set([
  ...COMMON_LONG_PASSWORDS,
  ...COMMON_WORDS.flatMap((word) => [`${word}${word}`, ...COMMON_TAILS.map((tail) => `${word}${tail}`)]),
  ...COMMON_WORDS.flatMap((word) => listYears().map((year) => `${word}${year}`)),
])

function listYears(): string[] {
  return Array.from({ length: 60 }, (_, index) => String(1975 + index))
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isRepeated(password: string): boolean {
  for (let unit = 1; unit <= MAX_UNIT_CHARACTERS; unit += 1)
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
  const runs = KEYBOARD_ROWS.map((row) => row.repeat(Math.ceil(password.length / row.length) + 1))
  return runs.some((run) => run.includes(password) || run.includes(backwards))
}
