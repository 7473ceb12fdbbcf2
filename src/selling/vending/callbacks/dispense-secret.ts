import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { draftOnce } from '../../../merchants/account/command-keys.ts'
import { requireActive } from '../../../merchants/account/merchant.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../../../platform/mode.ts'
import { randomText } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'

/** A new secret with which the supplier of machines signs its callbacks. It is shown only here. */
export type NewDispenseSecret = { secret: string; mode: Mode; createdAt: Date; rotated: boolean }
type SecretDraft = { secret: string; atMs: number }

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const SECRET_CHARACTERS = 40 // 206 bits: MD5 is weak, guessing the secret is not the way to find that out.

// An inserted row has no xmax; an updated one has ours. A repeat ($5) finishes a call that a crash interrupted, and never restores a
// secret that was replaced since.
const SET_SECRET = statement<{ rotated: boolean }>(
  'set dispense secret',
  `insert into dispense_secrets (merchant_id, mode, ciphertext, created_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, mode) do update set ciphertext = excluded.ciphertext, created_at = excluded.created_at
     where not $5::boolean or dispense_secrets.created_at < excluded.created_at
   returning xmax::text <> '0' as rotated`,
)

/**
 * Makes a secret for the mode of the caller's key; an earlier one is not accepted from now on (contract.md G37). With `commandKey` a
 * repeat returns the secret of the first call.
 */
export async function makeDispenseSecret(app: App, caller: Caller, commandKey?: string): Promise<NewDispenseSecret> {
  allow(caller, 'vending.secret')
  const { merchantId, mode } = caller
  await requireActive(app, merchantId)
  const { draft, again } = await startSecret(app, caller, commandKey)
  const { secret } = draft
  const createdAt = new Date(draft.atMs)
  const sealed = app.vault.seal(secret, dispenseSecretBinding({ merchantId, mode }))
  return app.db.transaction(async (tx) => {
    const [[set]] = await tx.send(call(SET_SECRET, merchantId, mode, sealed, createdAt.toISOString(), again))
    const newSecret = { secret, mode, createdAt, rotated: set?.rotated ?? true }
    if (!set) return { value: newSecret, last: [] }
    const act = { actor: caller, action: 'vending.secret', at: createdAt, merchantId, mode } as const
    return { value: newSecret, last: [auditRow({ ...act, after: { rotated: set.rotated } })] }
  })
}

const startSecret = (app: App, { merchantId, mode }: Caller, key: string | undefined) =>
  draftOnce(
    app,
    { key, command: 'dispense secret', input: { merchant: merchantId, mode } },
    (): SecretDraft => ({ secret: `dsec_${randomText(ALPHABET, SECRET_CHARACTERS)}`, atMs: app.clock.nowMs() }),
  )

/** The binding of the sealed secret. */
export const dispenseSecretBinding = ({ merchantId, mode }: MerchantMode) => ({
  merchantId,
  purpose: mode,
  column: 'dispense_secrets.ciphertext',
})
