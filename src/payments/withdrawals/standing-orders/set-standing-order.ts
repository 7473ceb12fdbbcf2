import type { Actor } from '../../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { lockTerms, merchantInactive } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { onUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { domainRefusal, notFound, Refusal } from '../../../platform/refusal.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { judgeVerification } from '../../payouts/payout-rules.ts'
import { shareWithdrawalNumber } from '../withdrawal-number.ts'
import { lockCurrentOrder, type StandingOrder, type StandingOrderTerms } from './standing-order.ts'

export const STANDING_ORDER_PREFIX = 'sto_'

const ADD = statement(
  'add standing order',
  `insert into standing_orders (merchant_id, id, state, rhythm, weekday, hour, keep_back, least, day_limit, revision, waits_for, waits_since, set_at)
   values ($1, $2, 'waiting', $3, $4, $5, $6, $7, $8, 1, 'new', $9, $9)`,
)
const CHANGE = statement(
  'change standing order',
  `update standing_orders set state = 'waiting', rhythm = $3, weekday = $4, hour = $5, keep_back = $6, least = $7, day_limit = $8,
     revision = revision + 1, waits_for = case when waits_for = 'new' then 'new' else 'change' end, waits_since = $9, set_at = $9, note = null,
     approved_at = null, approved_limit = null, approved_phone = null, due_at = null, try_at = null,
     still_code = null, still_says = null, still_since = null, still_told = true
   where merchant_id = $1 and id = $2`,
)
const STOP = statement(
  'stop standing order',
  `update standing_orders set state = 'stopped', stopped_at = $3, note = $4, waits_for = null, waits_since = null,
     approved_at = null, approved_limit = null, approved_phone = null, due_at = null, try_at = null,
     still_code = null, still_says = null, still_since = null, still_told = true
   where merchant_id = $1 and id = $2`,
)

type Owner = { merchantId: number; tag: string }

/**
 * Makes the merchant's standing order, or changes it: either way it waits for staff, and sends nothing before they approve it. The same
 * order again changes nothing. Throws Refusal with nothing written.
 */
export async function setStandingOrder(app: App, actor: Actor, owner: Owner, terms: StandingOrderTerms): Promise<void> {
  allow(actor, 'standing-order.set', owner.merchantId)
  requireLiveMode(actor)
  judgeTerms(terms, app.config.withdrawalMin)
  await onUniqueViolation(
    () => storeOrder(app, actor, owner, terms),
    async () => {
      throw new Refusal(409, 'conflict', 'a standing order was made meanwhile: look at it again')
    },
  )
}

function judgeTerms({ least, dayLimit, keepBack }: StandingOrderTerms, minimum: number): void {
  if (least < minimum)
    throw domainRefusal('amount_too_small', `least is below the withdrawal minimum of ${minimum}`, { field: 'least' })
  if (dayLimit < least)
    throw domainRefusal('amount_too_small', `the limit of a day is below the least that is sent (${least})`, {
      field: 'day_limit',
    })
  assert(keepBack >= 0 && Number.isSafeInteger(keepBack) && Number.isSafeInteger(dayLimit), 'amounts are whole UGX')
}

function storeOrder(app: App, actor: Actor, { merchantId, tag }: Owner, terms: StandingOrderTerms): Promise<null> {
  return app.db.transaction<null>(async (tx) => {
    const at = app.clock.now()
    const [[current], [merchant], [own]] = await tx.send(
      lockCurrentOrder(merchantId),
      lockTerms([merchantId]),
      shareWithdrawalNumber(merchantId),
    )
    assert(merchant, 'a merchant has a row')
    if (!merchant.active) throw merchantInactive(merchant)
    judgeVerification({ terms: merchant, mode: 'live' })
    if (!own?.verified) throw domainRefusal('no_withdrawal_number', 'no verified withdrawal number')
    if (current && current.state !== 'refused' && isSame(current, terms)) return { value: null }
    const id = current?.id ?? newId(STANDING_ORDER_PREFIX, tag)
    const { rhythm, weekday, hour, keepBack, least, dayLimit } = terms
    const write = call(
      current ? CHANGE : ADD,
      merchantId,
      id,
      rhythm,
      weekday,
      hour,
      keepBack,
      least,
      dayLimit,
      at.toISOString(),
    )
    const act = { actor, action: 'standing-order.set', at, merchantId, mode: 'live', subject: id } as const
    const after = { ...termsOf(terms), revision: (current?.revision ?? 0) + 1 }
    return { value: null, last: [write, auditRow({ ...act, before: current ? termsOf(current) : null, after })] }
  })
}

const termsOf = ({ rhythm, weekday, hour, keepBack, least, dayLimit }: StandingOrderTerms) => ({
  ...{ rhythm, weekday, hour, keepBack, least, dayLimit },
})
const isSame = (one: StandingOrderTerms, other: StandingOrderTerms) =>
  JSON.stringify(termsOf(one)) === JSON.stringify(termsOf(other))

/**
 * Stops an order for good; what it has sent or asked for goes on. By the merchant, or by staff with a sentence that the merchant reads. A
 * repeat changes nothing. Throws 404.
 */
export async function stopStandingOrder(
  app: App,
  actor: Actor,
  { merchantId, id, note }: Pick<StandingOrder, 'merchantId' | 'id' | 'note'>,
): Promise<void> {
  allow(actor, 'standing-order.stop', merchantId)
  requireLiveMode(actor)
  await app.db.transaction<null>(async (tx) => {
    const at = app.clock.now()
    const [[order]] = await tx.send(call(LOCK_ORDER, merchantId, id))
    if (!order) throw notFound('standing order')
    if (order.state === 'stopped') return { value: null }
    const act = { actor, action: 'standing-order.stop', at, merchantId, mode: 'live', subject: id } as const
    const audit = auditRow({ ...act, before: { state: order.state }, after: { state: 'stopped', note } })
    return { value: null, last: [call(STOP, merchantId, id, at.toISOString(), note), audit] }
  })
}

const LOCK_ORDER = statement<Pick<StandingOrder, 'state'>>(
  'lock standing order by id',
  'select state from standing_orders where merchant_id = $1 and id = $2 for no key update',
)
