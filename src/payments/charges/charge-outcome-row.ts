import { clockOffsetMs, holdMs, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import type { ChargeMove } from './move-charge.ts'
import type { ChargeOutcomeRow } from './write-charge-status.ts'

/**
 * Builds the row that the compare-and-set writes. Without a hold the charge is settled at once; holds run on the clock that
 * applies to it (3 a). Every payment passes here, so the object is written field by field.
 */
export function buildChargeOutcomeRow(
  app: App,
  { charge, to }: ChargeMove,
  { terms, at }: { terms: MerchantTerms | undefined; at: Date },
): ChargeOutcomeRow {
  assert(terms, 'a charge has a merchant')
  const { merchantId, id } = charge
  if (to.status === 'failed')
    return {
      merchantId,
      id,
      status: to.status,
      failureReason: to.reason,
      railTransactionId: null,
      holdUntil: null,
      settledAt: null,
      settlementId: null,
    }
  const hold = holdMs(terms, charge.mode, app.config)
  const atOnce = hold === 0
  return {
    merchantId,
    id,
    status: to.status,
    failureReason: null,
    railTransactionId: to.railTransactionId,
    holdUntil: atOnce ? at : addMs(at, hold + clockOffsetMs(terms, charge.mode)),
    settledAt: atOnce ? at : null,
    settlementId: atOnce ? newAscendingId('setl_', terms.tag, at) : null,
  }
}
