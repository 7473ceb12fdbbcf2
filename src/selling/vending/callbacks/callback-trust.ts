import type { Call } from '../../../platform/db/database.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { type Mode, merchantModeKey } from '../../../platform/mode.ts'
import type { App } from '../../../program/app.ts'
import { type CallbackSecret, openSecrets, type SealedCallbackSecret, sealedSecrets } from './callback-secrets.ts'
import { formatSignKey, ordersBySign, type SignKey } from './vendor-callbacks.ts'

type SecretOwner = { app: App; merchantId: number; mode: Mode }

/**
 * Verifies the callbacks of one batch: holds the secrets of their merchants, and the orders for which their signatures were accepted before.
 * The merchant follows from an id that the callback names, so both are read in the same flush as the orders.
 */
export type CallbackTrust = {
  /** Reads the secrets of these merchants, and the orders of these signatures. */
  read(app: App, signs: readonly SignKey[]): Promise<void>
  /** Does what `read` does, and sends `call` in the same flush. */
  readWith<Row>(app: App, signs: readonly SignKey[], call: Call<Row>): Promise<Row[]>
  /** Returns every secret that may have signed a callback of this owner, the recommended kind first. */
  secretsOf(owner: SecretOwner): readonly CallbackSecret[]
  /** Returns the order for which this signature was accepted; null for a new one. */
  servedBy(key: SignKey): string | null
}

/** Made for each batch, so that a replaced secret does not count any more. */
export function newCallbackTrust(): CallbackTrust {
  const sealed = new Map<number, SealedCallbackSecret[]>()
  const opened = new Map<number, CallbackSecret[]>()
  const served = new Map<string, string>()

  const callsFor = (signs: readonly SignKey[]) =>
    [sealedSecrets(signs.map(({ merchantId }) => merchantId)), ordersBySign(signs)] as const

  function keep(
    signs: readonly SignKey[],
    [secrets, orders]: readonly [SealedCallbackSecret[], (SignKey & { orderId: string })[]],
  ): void {
    const own = groupBy(secrets, ({ merchantId }) => merchantId)
    for (const { merchantId } of signs) sealed.set(merchantId, own.get(merchantId) ?? [])
    for (const order of orders) served.set(formatSignKey(order), order.orderId)
  }

  return {
    async read(app, signs) {
      keep(signs, await app.db.queries(...callsFor(signs)))
    },
    async readWith(app, signs, call) {
      const [rows, ...read] = await app.db.queries(call, ...callsFor(signs))
      keep(signs, read)
      return rows
    },
    secretsOf(owner) {
      const key = merchantModeKey(owner)
      const secrets = opened.get(key) ?? openSecrets(owner.app, owner, sealed.get(owner.merchantId) ?? [])
      opened.set(key, secrets)
      return secrets
    },
    servedBy: (key) => served.get(formatSignKey(key)) ?? null,
  }
}
