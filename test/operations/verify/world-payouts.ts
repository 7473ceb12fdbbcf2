import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys, finishKey, freeKey } from '../../../src/api/idempotency/keys.ts'
import { lockHeads, openBook } from '../../../src/ledger/book.ts'
import { movePayout, type PayoutOutcome } from '../../../src/payments/payouts/move-payout.ts'
import { type NewPayout, newPayout } from '../../../src/payments/payouts/new-payout.ts'
import { presentPayout } from '../../../src/payments/payouts/payout.ts'
import { reservePayout } from '../../../src/payments/payouts/reserve-payout.ts'
import { publishPayout } from '../../../src/payments/payouts/write-payout-status.ts'
import { addPayouts } from '../../../src/payments/payouts/write-payouts.ts'
import type { Call } from '../../../src/platform/db/database.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { uuidFor } from '../../../src/platform/text/ids.ts'
import type { App } from '../../../src/program/app.ts'
import { endAttempt, moveAttempt } from '../../../src/rails/attempts.ts'
import { addEvidence } from '../../../src/rails/evidence.ts'
import { payoutIdOf, TAGS } from './names.ts'
import { write } from './world-charges.ts'

const PHONE = '256700000000'

/** A single payout of merchant 3 with its reservation, attempt and key in one commit, as the product stores it. */
export async function createPayout(
  app: App,
  [mode, name, amount]: [mode: Mode, name: string, amount: number],
): Promise<NewPayout> {
  const payout = named(app, [mode, name, amount])
  const answer = mode === 'live' ? null : { status: 201, body: bodyOf(payout), objectId: payout.id }
  await app.db.transaction(async (tx) => {
    const [heads] = await tx.send(lockHeads([{ merchantId: 3, mode }]))
    const book = openBook(heads, payout.createdAt)
    reservePayout(book, payout)
    const key = { ...keyOf(payout), answer, objectId: payout.id }
    const keys = addKeys([key], payout.createdAt)
    return { value: null, last: [...book.writes(), ...addPayouts(app, [payout], ['one']), ...keys] }
  })
  return payout
}

function named(app: App, [mode, name, amount]: [mode: Mode, name: string, amount: number]): NewPayout {
  const facts = {
    amount,
    channel: 'op1_momo',
    phone: PHONE,
    name: null,
    reference: name,
    at: app.clock.now(),
  }
  const payout = newPayout(app, { merchantId: 3, tag: TAGS[3], mode }, { ...facts, origin: { kind: 'payout' } })
  payout.id = payoutIdOf(name)
  payout.railReference = uuidFor(payout.id)
  return payout
}

const heldBy = (payout: NewPayout) => ({ ...keyOf(payout), objectId: payout.id })

/** The first answer of the rail: it accepted the payout, or it is unknown whether it did. */
export async function publish(app: App, payout: NewPayout, heard: 'accepted' | 'in_doubt'): Promise<void> {
  const answer = { status: 201, body: bodyOf(payout) }
  await write(
    app.db,
    finishKey(heldBy(payout), answer),
    publishPayout(app, payout, { acceptedBy: heard === 'in_doubt' ? null : 'the contract' }),
    moveAttempt(attemptOf(payout), heard, payout.createdAt),
    addEvidence(attemptOf(payout), heard === 'accepted' ? heard : 'ambiguous', heardAt(payout)),
  )
}

/** The rail refused the payout: the reservation is returned, and the key is freed or keeps the 400. */
export async function takeBack(app: App, payout: NewPayout, kept: number | null): Promise<void> {
  const held = heldBy(payout)
  const key = kept === null ? freeKey(held) : finishKey(held, { status: kept, body: '{"error":{}}' })
  const attempt = endAttempt(attemptOf(payout), { state: 'void', at: app.clock.now() })
  await movePayout(app, { payout, to: { status: 'voided' }, alongside: [key, attempt] })
}

/** The final answer of the rail about a payout. It ends the attempt, if there is one. */
export async function endPayout(
  app: App,
  payout: Pick<NewPayout, 'merchantId' | 'id' | 'mode' | 'subaccountId' | 'railReference'>,
  outcome: PayoutOutcome,
): Promise<void> {
  const number = outcome.status === 'succeeded' ? `rail-${payout.id}` : null
  const to = number === null ? outcome : ({ status: 'succeeded', railTransactionId: number } as const)
  const ended: Call[] =
    payout.mode === 'test'
      ? []
      : [
          endAttempt(attemptOf(payout), { at: app.clock.now() }),
          addEvidence(attemptOf(payout), to.status, said(app.clock.now()), number),
        ]
  await movePayout(app, { payout, to, alongside: ended })
}

export const PAID: PayoutOutcome = { status: 'succeeded', railTransactionId: 'rail' }
export const UNPAID: PayoutOutcome = { status: 'failed', reason: 'wallet_locked' }

const bodyOf = (payout: NewPayout) => JSON.stringify(presentPayout(payout))
const attemptOf = ({ merchantId, railReference }: Pick<NewPayout, 'merchantId' | 'railReference'>) => ({
  merchantId,
  reference: railReference,
})

function keyOf({ merchantId, mode, id }: NewPayout) {
  return {
    merchantId,
    mode,
    key: `key-${id}`,
    fingerprint: fingerprintRequest('POST', '/v1/payouts', { id }),
  }
}

const said = (at: Date) => ({ at, operation: 'status' as const, stage: 'answered' as const, elapsedMs: 5 })

const heardAt = ({ createdAt: at }: NewPayout) => ({
  at,
  operation: 'submit' as const,
  stage: 'answered' as const,
  elapsedMs: 5,
})
