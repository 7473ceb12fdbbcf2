import assert from 'node:assert/strict'
import test, { after, beforeEach } from 'node:test'
import { CLAIM_MOVES, type ClaimState, type DispenseClaim } from '../../../../src/selling/vending/dispensing/claim.ts'
import { dispenseTarget } from '../../../../src/selling/vending/dispensing/dispense-move.ts'
import { addDispenseClaim } from '../../../../src/selling/vending/dispensing/move-claim.ts'
import { moveDispense } from '../../../../src/selling/vending/dispensing/move-dispense.ts'
import { recordAnswer } from '../../../../src/selling/vending/dispensing/record-answer.ts'
import { DELIVERED, dieSending, JAM, vendingEventNames } from '../../../helpers/vending/machine-words.ts'
import { claim, newOrder } from '../../../helpers/vending/paid-orders.ts'
import { startCore } from '../../../helpers/vending/vending-core.ts'

const core = await startCore()
const { service } = core
beforeEach(core.begin)
after(core.end)

/** How a claim gets from one state to the next. */
const DO: Record<ClaimState, (own: DispenseClaim) => Promise<unknown>> = {
  claimed: async () => {},
  commanding: (own) => dieSending(service, own),
  accepted: (own) => recordAnswer(service.app, own, { kind: 'accepted', code: '1', message: 'ok' }),
  ambiguous: (own) => recordAnswer(service.app, own, { kind: 'ambiguous', message: 'reset' }),
  delivered: (own) => say(own, DELIVERED),
  released: (own) => say(own, JAM),
}
const WAY: Record<ClaimState, ClaimState[]> = {
  claimed: [],
  commanding: ['commanding'],
  accepted: ['commanding', 'accepted'],
  ambiguous: ['commanding', 'ambiguous'],
  released: ['commanding', 'released'],
  delivered: ['commanding', 'delivered'],
}

/** Commands that were sent are decided by the machine, others by a person. */
async function say(own: DispenseClaim, to: typeof DELIVERED): Promise<void> {
  const source = (await stateOf(own)) === 'claimed' ? 'manual' : 'callback'
  assert.equal(await moveDispense(service.app, { ...dispenseTarget(own), to, source }), 'moved')
}

async function stateOf({ id }: DispenseClaim): Promise<string | undefined> {
  const rows = await service.rows<{ state: string }>('select state from dispense_claims where id = $1', [id])
  return rows[0]?.state
}

const ofOrder = async () => claim(service, await core.paid())

/** A charge of the merchant's own, claimed for a machine. */
async function direct(): Promise<DispenseClaim> {
  const { merchantId, api } = core.shop
  const chargeId = (await api.charge()).body.id
  service.pass(2000)
  await service.run('follow-charges')
  // Registers the machine as well.
  await newOrder(service, core.shop)
  const own: DispenseClaim = {
    ...{ merchantId, mode: 'test', chargeId, kind: 'direct', attempt: 1, payAccount: null },
    ...{ id: chargeId.replace('txn_', 'dclm_'), orderId: 'own-1', machine: 'M-1', goods: [{ spbh: '1' }] },
  }
  await service.app.db.transaction(async (tx) => {
    await tx.send(addDispenseClaim(own, service.clock.now()))
    return { value: null }
  })
  return own
}

for (const [from, moves] of Object.entries(CLAIM_MOVES) as [ClaimState, Record<string, string | null>][])
  for (const [to, event] of Object.entries(moves) as [ClaimState, string | null][])
    test(`a claim that was ${from} and is ${to} sends ${event ?? 'no event'}`, async () => {
      // Nobody decides about a direct dispense that was never sent.
      const claims = from === 'claimed' && event !== null ? [await ofOrder()] : [await ofOrder(), await direct()]
      for (const own of claims) {
        const subject = { merchantId: own.merchantId, id: own.kind === 'order' ? own.orderId : own.id }
        for (const state of WAY[from]) await DO[state](own)
        const before = await vendingEventNames(service, subject)
        service.pass(1)
        await DO[to](own)
        assert.equal(await stateOf(own), to, own.kind)
        const told = (await vendingEventNames(service, subject)).slice(before.length)
        assert.deepEqual(
          told.map((one) => one.split(' ')[0]),
          event === null ? [] : [event],
          own.kind,
        )
      }
    })
