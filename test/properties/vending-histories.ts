import assert from 'node:assert/strict'
import { refundCharge } from '../../src/payments/refunds/refund-charge.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import type { DispenseClaim } from '../../src/selling/vending/dispensing/claim.ts'
import { claimOrder } from '../../src/selling/vending/dispensing/claim-order.ts'
import { recordAnswer } from '../../src/selling/vending/dispensing/record-answer.ts'
import { sendCommand } from '../../src/selling/vending/dispensing/send-command.ts'
import type { Payer } from '../helpers/payments/schedules.ts'
import { fullKey } from '../helpers/service/actors.ts'
import type { TestService } from '../helpers/service/test-service.ts'
import { DELIVERED, dieSending, JAM, say } from '../helpers/vending/machine-words.ts'
import type { PaidOrder } from '../helpers/vending/paid-orders.ts'
import type { Doing, Step } from './vending-steps.ts'

const REFUSED = { kind: 'refused', code: '0', message: 'no' } as const
const ACCEPTED = { kind: 'accepted', code: '1', message: 'ok' } as const

/** An order, with what the test knows about it that is not in the database. */
export type Known = PaidOrder & {
  machine: string
  /** Claims that were made but not sent. */
  held: DispenseClaim[]
  /** Commands that were sent and not yet answered. */
  unanswered: DispenseClaim[]
  /** How often the supplier, the machine or a person has said that the newest command dropped nothing. */
  freed: number
}

/** Two processes over one database, the shop, and the orders at its machines. */
export type Played = { service: TestService; other: TestService; shop: Payer; orders: readonly Known[] }

export async function play({ service, other, shop, orders }: Played, step: Step): Promise<void> {
  switch (step.do) {
    case 'one':
      return doOne(service, shop, { known: orders[step.order] as Known, what: step.what })
    case 'two': {
      const known = orders[step.order] as Known
      const second = step.with === 'sweeps' ? sweeps(other) : doOne(other, shop, { known, what: step.with })
      await Promise.all([doOne(service, shop, { known, what: step.what }), second])
      return
    }
    case 'sweeps':
      return sweeps(service)
    case 'pass':
      return service.pass(step.ms)
    case 'vending':
      return service.set(shop.merchant, {
        vendingEnabled: step.on,
        autoRefundOnJam: step.refunds ? 'test' : 'off',
      })
    case 'trust':
      await service.rows(
        `insert into vending_profiles (merchant_id, profile, changed_at) values ($1, $2, $3)
         on conflict (merchant_id) do update set profile = $2`,
        [shop.merchantId, step.profile, service.clock.now()],
      )
  }
}

export async function sweeps(at: TestService): Promise<void> {
  await at.runBeside('dispense')
  await at.runBeside('refund-jams')
}

type Done = { known: Known; what: Doing }

async function doOne(at: TestService, shop: Payer, { known, what }: Done): Promise<void> {
  switch (what) {
    case 'claim':
    case 'retry': {
      const claimed = await claimOrder(at.app, known)
      if (claimed.kind !== 'claimed') return
      known.held.push(claimed.claim)
      return what === 'retry' ? doOne(at, shop, { known, what: 'send' }) : undefined
    }
    case 'send': {
      const own = known.held.shift()
      if (own === undefined) return
      const answer = await sendCommand(at.app, own)
      if (answer?.kind === 'ambiguous') known.unanswered.push(own)
      return
    }
    case 'die': {
      const own = known.held.shift()
      if (own !== undefined)
        await dieSending(at, own).then(
          () => known.unanswered.push(own),
          () => {},
        )
      return
    }
    case 'accept':
    case 'refuse':
      return answer(at, known, what === 'accept' ? ACCEPTED : REFUSED)
    case 'jam':
    case 'not delivered': {
      const moved = await say(at, known, JAM, what === 'jam' ? 'callback' : 'manual')
      if (moved === 'moved') known.freed += 1
      return
    }
    case 'delivered':
      await say(at, known, DELIVERED)
      return
    case 'refund': {
      const caller = { merchantId: shop.merchantId, tag: shop.tag, cell: at.app.cell, mode: 'test' as const }
      await refundCharge(at.app, fullKey(caller), {
        chargeId: known.chargeId,
      }).catch((error) => assert.ok(error instanceof Refusal, error))
    }
  }
}

/** A late answer of the supplier. A refusal ends the command that it answers, and no other. */
async function answer(at: TestService, known: Known, said: typeof ACCEPTED | typeof REFUSED): Promise<void> {
  const own = known.unanswered.shift()
  if (own === undefined) return
  await recordAnswer(at.app, own, said)
  if (said.kind === 'refused') known.freed += 1
}
