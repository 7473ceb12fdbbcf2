import { randomBytes, timingSafeEqual } from 'node:crypto'
import { fewAtOnce } from '../platform/few-at-once.ts'
import { count } from '../platform/measures.ts'
import { openThreads, type Threads } from '../platform/threads.ts'
import type { HashStep } from './password-worker.ts'

// argon2id with 19 MiB and two passes (reliability.md A69): some 10 to 20 ms of one processor.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const SALT_BYTES = 16
const CURRENT = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`
const STORED =
  /^(\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86}))\$[A-Za-z0-9+/]+$/

// Two at once, in threads of low priority, leave the processors to payments. Who waits behind fifty others would wait for more than half a second.
const MOST_AT_ONCE = 2
const MOST_WAITING = 50
const ANSWER_WITHIN_MS = 10_000
const inTurn = fewAtOnce({ most: MOST_AT_ONCE, waiting: MOST_WAITING })
const THREADS: Threads<HashStep> = openThreads({
  script: new URL('./password-worker.js', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  keep: MOST_AT_ONCE,
})

function hash(password: string, options: HashStep['options']): Promise<string> {
  count('password_hashes_total')
  return inTurn(() =>
    THREADS.use(async (ask) => Buffer.from(await ask({ password, options })).toString('latin1')),
  )
}

// The same characters typed on another keyboard may arrive in another form.
const bytesOf = (password: string) => password.normalize('NFC')

/** What is stored of a password, with this salt; without one with its own. */
export const hashPassword = (password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<string> =>
  hash(bytesOf(password), { ...COST, salt })

/** The salt that the first of these has that was made at today's cost; null where none was. */
export function saltAmong(stored: readonly string[]): Buffer | null {
  const shared = stored.map((one) => STORED.exec(one)).find((read) => read?.[0].startsWith(CURRENT))
  return shared ? Buffer.from(shared[5] ?? '', 'base64') : null
}

/** Whether a hash was made at today's cost and with this salt. */
export const hasSalt = (stored: string, salt: Buffer): boolean => saltAmong([stored])?.equals(salt) ?? false

/** Which of these the password belongs to. With none of them it takes as long as with one. */
export async function checkPassword(password: string, stored: readonly string[]): Promise<boolean[]> {
  const ways = new Map(stored.map((one) => [STORED.exec(one)?.[1] ?? '', one]))
  if (ways.size === 0) {
    await hashPassword(password)
    return []
  }
  const made = new Map<string, string>()
  for (const [way, one] of ways) made.set(way, await hashLike(password, one))
  return stored.map((one) => same(one, made.get(STORED.exec(one)?.[1] ?? '') ?? ''))
}

function hashLike(password: string, stored: string): Promise<string> {
  const [, , memory, time, parallelism, salt = ''] = STORED.exec(stored) ?? []
  const cost = { memoryCost: Number(memory), timeCost: Number(time), parallelism: Number(parallelism) }
  return hash(bytesOf(password), { ...cost, salt: Buffer.from(salt, 'base64') })
}

const same = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
