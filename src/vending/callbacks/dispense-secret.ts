import type { App } from '../../app.ts'
import type { Caller } from '../../http/caller.ts'
import { type Mode, merchantInactive, termsOf } from '../../merchants/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import { randomText } from '../../platform/ids.ts'

/** A new secret with which the supplier of machines signs its callbacks. It is shown only here. */
export type NewDispenseSecret = { secret: string; mode: Mode; createdAt: Date; rotated: boolean }

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const CHARACTERS = 40 // 206 bits: MD5 is weak, guessing the secret is not the way to find that out.

// An inserted row has no xmax; an updated one has ours.
const SET = statement<{ rotated: boolean }>(
  'set dispense secret',
  `insert into dispense_secrets (merchant_id, mode, ciphertext, created_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, mode) do update set ciphertext = excluded.ciphertext, created_at = excluded.created_at
   returning xmax::text <> '0' as rotated`,
)

/** Makes the secret of this key's mode; an earlier one is not accepted from now on (contract.md G37). */
export async function makeDispenseSecret(
  app: App,
  { merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>,
): Promise<NewDispenseSecret> {
  const owner = termsOf([merchantId])
  const [terms] = await app.db.query(owner.statement, owner.values)
  assert(terms, 'a merchant with a key has a row')
  if (!terms.active) throw merchantInactive()
  const secret = `dsec_${randomText(ALPHABET, CHARACTERS)}`
  const createdAt = app.clock.now()
  const sealed = app.vault.seal(secret, dispenseSecretBinding({ merchantId, mode }))
  const [set] = await app.db.query(SET, [merchantId, mode, sealed, createdAt.toISOString()])
  assert(set, 'an upsert answers with its row')
  return { secret, mode, createdAt, rotated: set.rotated }
}

/** What its ciphertext is bound to. */
export const dispenseSecretBinding = ({ merchantId, mode }: { merchantId: number; mode: Mode }) => ({
  merchantId,
  purpose: mode,
  column: 'dispense_secrets.ciphertext',
})
