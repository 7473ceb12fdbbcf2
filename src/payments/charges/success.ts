import { railAccount } from '../../ledger/accounts.ts'
import type { Book } from '../../ledger/book.ts'
import { addSettlements, type Settlement } from '../../ledger/settlements.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { addEvents, type Happening, type LeaseNewDelivery } from '../../merchants/webhooks/events.ts'
import { assert } from '../../platform/assert.ts'
import type { Call } from '../../platform/db/database.ts'
import { CHARGE_MOVES, type Charge, computeResidual } from './charge.ts'
import { chargeEventJson } from './charge-json.ts'
import { postShares } from './finish-splits.ts'
import type { ChargeOutcomeRow } from './write-charge-status.ts'

type OutcomeInput = {
  endById: Map<string, ChargeOutcomeRow>
  terms: Map<number, MerchantTerms>
  book: Book
  at: Date
  leaseOf: LeaseNewDelivery
}

/**
 * Credits the charges that succeeded: posts their transfers to the book, and returns what else is written about finished charges, the
 * settlement and the event with its delivery, one statement for each table (ledger.md 5). A failed charge only has its event.
 */
export function postOutcomes(finished: readonly Charge[], { endById, terms, book, at, leaseOf }: OutcomeInput): Call[] {
  const settlements: Settlement[] = []
  const events: Happening[] = []
  for (const charge of finished) {
    const merchantTerms = terms.get(charge.merchantId)
    assert(merchantTerms, 'the terms of every merchant in the batch were read')
    if (charge.status === 'succeeded') {
      postSuccess(book, charge)
      const settlementId = endById.get(charge.id)?.settlementId
      if (settlementId && computeResidual(charge) > 0)
        settlements.push(buildInstantSettlement(charge, settlementId, at))
    }
    events.push(buildOutcomeEvent(charge, merchantTerms))
  }
  return [...addSettlements(settlements), ...addEvents(events, at, leaseOf)]
}

function postSuccess(book: Book, charge: Charge): void {
  const { merchantId, mode, id: subject } = charge
  const debit = railAccount(charge.channel)
  const credit = charge.settledAt === null ? 'pending' : 'available'
  book.post({ merchantId, mode, kind: 'charge_net', subject, debit, credit, amount: computeResidual(charge) })
  book.post({ merchantId, mode, kind: 'charge_fee', subject, debit, credit: 'fees', amount: charge.fee })
  if (charge.split) postShares(book, charge)
}

function buildOutcomeEvent(charge: Charge, terms: MerchantTerms): Happening {
  return {
    merchantId: charge.merchantId,
    tag: terms.tag,
    mode: charge.mode,
    type: CHARGE_MOVES.authorized[charge.status === 'succeeded' ? 'succeeded' : 'failed'],
    subject: charge.id,
    data: chargeEventJson(charge),
    hasWebhookUrl: terms.webhookUrl !== null,
  }
}

function buildInstantSettlement(charge: Charge, id: string, at: Date): Settlement {
  const { merchantId, mode } = charge
  return {
    merchantId,
    id,
    mode,
    kind: 'instant',
    amount: computeResidual(charge),
    chargeCount: 1,
    createdAt: at,
  }
}
