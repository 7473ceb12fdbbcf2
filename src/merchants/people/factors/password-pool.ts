import { randomBytes, timingSafeEqual } from 'node:crypto'
import { limitConcurrency } from '../../../platform/batches/concurrency-limit.ts'
import { count } from '../../../platform/log/measures.ts'
import { openThreadPool, type ThreadPool } from '../../../platform/processes/threads.ts'
import type { HashStep } from './password-worker.ts'

// argon2id with 19 MiB and two passes (reliability.md A69): some 10 to 20 ms of one processor.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const SALT_BYTES = 16
const CURRENT_PREFIX = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`
const STORED_FORM = /^(\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86}))\$[A-Za-z0-9+/]+$/

// Two hashes at once, in threads of low priority, leave the processors to payments. Behind fifty others a hash would wait for more than half
// a second.
const PARALLEL_HASHES = 2
const MAX_WAITING = 50
const ANSWER_WITHIN_MS = 10_000
const limitHashes = limitConcurrency({ most: PARALLEL_HASHES, waiting: MAX_WAITING })
const THREADS: ThreadPool<HashStep> = openThreadPool({
  script: new URL('./password-worker.js', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  keep: PARALLEL_HASHES,
})

function runHash(password: string, options: HashStep['options']): Promise<string> {
  count('password_hashes_total')
  return limitHashes(() => THREADS.use(async (ask) => Buffer.from(await ask({ password, options })).toString('latin1')))
}

// Another keyboard may send the same characters in another Unicode form.
const normalisePassword = (password: string) => password.normalize('NFC')

/** Hashes a password for storing, with this salt, or with a new random one. */
export const hashPassword = (password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<string> =>
  runHash(normalisePassword(password), { ...COST, salt })

/** Finds the salt of the first stored hash that was made at today's cost; null where none was. */
export function findCurrentSalt(stored: readonly string[]): Buffer | null {
  const current = stored.map((text) => STORED_FORM.exec(text)).find((match) => match?.[0].startsWith(CURRENT_PREFIX))
  return current ? Buffer.from(current[5] ?? '', 'base64') : null
}

/** Whether a hash was made at today's cost and with this salt. */
export const hasSalt = (stored: string, salt: Buffer): boolean => findCurrentSalt([stored])?.equals(salt) ?? false

/** Returns for each stored hash whether the password matches it. Without any it takes as long as with one. */
export async function checkPassword(password: string, stored: readonly string[]): Promise<boolean[]> {
  // By cost and salt: hashes that share both are checked with one hash.
  const byPrefix = new Map(stored.map((text) => [STORED_FORM.exec(text)?.[1] ?? '', text]))
  if (byPrefix.size === 0) {
    await hashPassword(password)
    return []
  }
  const hashes = new Map<string, string>()
  for (const [prefix, text] of byPrefix) hashes.set(prefix, await hashLike(password, text))
  return stored.map((text) => isSameHash(text, hashes.get(STORED_FORM.exec(text)?.[1] ?? '') ?? ''))
}

function hashLike(password: string, stored: string): Promise<string> {
  const [, , memory, time, parallelism, salt = ''] = STORED_FORM.exec(stored) ?? []
  const cost = { memoryCost: Number(memory), timeCost: Number(time), parallelism: Number(parallelism) }
  return runHash(normalisePassword(password), { ...cost, salt: Buffer.from(salt, 'base64') })
}

const isSameHash = (first: string, second: string) =>
  first.length === second.length && timingSafeEqual(Buffer.from(first), Buffer.from(second))
