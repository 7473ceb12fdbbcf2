import { createHash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Gateway } from '../../../program/app.ts'
import { factorBinding } from '../sealed-columns.ts'

const PERIOD_SECONDS = 30
const DIGITS = 6
// A code counts one step early or late (reliability.md A72).
const STEPS_EITHER_WAY = 1
const RECOVERY_BYTES = 10
const RECOVERY_CODES = 10
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const FIND_APPS = statement<{ id: string; sealed: Buffer }>(
  'authenticator apps',
  `select id, sealed from factors where person_id = $1 and kind = 'totp' and confirmed_at is not null`,
)
const TAKE_STEP = statement<{ id: string }>(
  'take step',
  `update factors set last_step = $2, used_at = $3 where id = $1 and (last_step is null or last_step < $2) returning id`,
)
const USE_RECOVERY = statement<{ hash: Buffer }>(
  'use recovery code',
  'update recovery_codes set used_at = $3 where person_id = $1 and hash = $2 and used_at is null returning hash',
)
const CLEAR_RECOVERY = statement('clear recovery codes', 'delete from recovery_codes where person_id = $1')
const ADD_RECOVERY = statement(
  'add recovery codes',
  'insert into recovery_codes (person_id, hash) select $1, unnest($2::bytea[])',
)

/** Makes a secret for an authenticator app, in letters that people can type. */
export const newAppSecret = (): string => new Secret({ size: 20 }).base32

/** Makes the URI that an authenticator app reads from the picture. */
export const makeAppUri = (secret: string, { account, issuer }: { account: string; issuer: string }): string =>
  new TOTP({
    issuer,
    label: account,
    secret: Secret.fromBase32(secret),
    digits: DIGITS,
    period: PERIOD_SECONDS,
  }).toString()

/** Finds the time step to which a code belongs; null for a wrong code. */
export function findCodeStep(secret: string, code: string, nowMs: number): number | null {
  const digits = code.replace(/[\s-]/g, '')
  if (!/^[0-9]{6}$/.test(digits)) return null
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: DIGITS, period: PERIOD_SECONDS })
  const delta = totp.validate({ token: digits, timestamp: nowMs, window: STEPS_EITHER_WAY })
  return delta === null ? null : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta
}

/**
 * Uses up a code of the person's app, or a recovery code; null where it is wrong or was used before. Of two tries with the same code at
 * once only one succeeds.
 */
export async function takeCode(gateway: Gateway, personId: number, code: string): Promise<'app' | 'recovery' | null> {
  const now = gateway.clock.now()
  for (const { id, sealed } of await gateway.directory.query(FIND_APPS, [personId])) {
    const step = findCodeStep(gateway.vault.open(sealed, factorBinding(id)), code, now.getTime())
    if (step === null) continue
    const taken = await gateway.directory.query(TAKE_STEP, [id, step, now.toISOString()])
    return taken.length === 1 ? 'app' : null
  }
  const hash = hashRecoveryCode(code)
  if (hash === null) return null
  const used = await gateway.directory.query(USE_RECOVERY, [personId, hash, now.toISOString()])
  return used.length === 1 ? 'recovery' : null
}

/** Makes ten recovery codes of 80 bits, for when the app is lost, and the calls that store them in place of older ones. */
export function makeRecoveryCodes(personId: number): { codes: string[]; calls: Call[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => groupLetters(encodeBase32(randomBytes(RECOVERY_BYTES))))
  const hashes = codes.map((code) => hashRecoveryCode(code))
  return { codes, calls: [clearRecoveryCodes(personId), call(ADD_RECOVERY, personId, hashes)] }
}

export const clearRecoveryCodes = (personId: number): Call => call(CLEAR_RECOVERY, personId)

function hashRecoveryCode(code: string): Buffer | null {
  const letters = code.toUpperCase().replace(/[\s-]/g, '')
  return /^[A-Z2-7]{16}$/.test(letters) ? createHash('sha256').update(letters).digest() : null
}

/** Encodes bytes in base 32, five bits a letter. */
function encodeBase32(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let letters = ''
  for (let left = (bytes.length * 8) / 5; left > 0; left -= 1) {
    letters = BASE32.charAt(Number(number & 31n)) + letters
    number >>= 5n
  }
  return letters
}

const groupLetters = (letters: string) => (letters.match(/.{4}/g) ?? []).join('-')
