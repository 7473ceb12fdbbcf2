import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { type ChargeOutcome, moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { findCard, findUsableCard, listCards } from '../../../src/payments/gift-cards/find-card.ts'
import { issueCards } from '../../../src/payments/gift-cards/issue-cards.ts'
import { activateCard, deactivateCard } from '../../../src/payments/gift-cards/switch-card.ts'
import { endCardUses, lockCardsOf, restoreCards } from '../../../src/payments/gift-cards/use-card.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { countLockWaits } from '../../helpers/database/lock-waits.ts'
import { newCard, payByCard, sumsOf, useOf } from '../../helpers/payments/gift-cards.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { wordOf } from '../../operations/verify/world-charges.ts'

const service = openedAndVerified(() => startService())
const own = made(() => payer(service))

const DAY = 86_400_000
const PART = { amount: 10_000, applied: 4000 }
const paidOf = (id: string): ChargeOutcome => ({ status: 'succeeded', railTransactionId: `number of ${id}` })
const UNPAID: ChargeOutcome = { status: 'failed', reason: 'user_cancelled' }
type Charge = { merchantId: number; id: string }
const pay = (cardId: string) => payByCard(service, own, { cardId, ...PART })
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, at) => make(at))

/** Ends the uses of these charges in one transaction, as a batch of moves does. */
const end = (ends: readonly (readonly [Charge, 'taken' | 'freed'])[]) =>
  service.app.db.transaction(async (tx) => {
    const at = service.clock.now()
    await tx.send(lockCardsOf(ends.map(([charge]) => charge)))
    const named = ends.map(([{ merchantId, id: chargeId }, to]) => ({ merchantId, chargeId, to }))
    return { value: null, last: endCardUses(named, at) }
  })
const restore = (charges: readonly Charge[]) =>
  service.app.db.transaction(async (tx) => {
    const [uses] = await tx.send(lockCardsOf(charges))
    return { value: uses, last: restoreCards(charges, service.clock.now()) }
  })
const waiting = () => countLockWaits(service)
/** Deletes the charges, because these tests end uses without ending their charges. */
async function forget(charges: readonly Charge[]): Promise<void> {
  const ids = charges.map(({ id }) => id)
  await service.rows('delete from gift_card_uses where charge_id = any($1)', [ids])
  await service.rows('delete from rail_attempts where subject = any($1)', [ids])
  await service.rows('delete from charges where id = any($1)', [ids])
}

test('one card used by twelve payments at once pays for as many as it covers', async () => {
  const { id: cardId } = await newCard(service, own, 22_000)
  const outcomes = await Promise.allSettled(many(12, () => pay(cardId)))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []))
  assert.deepEqual(refused, new Array(7).fill('the card has enough'), 'each decided on what was left then')
  assert.deepEqual(await sumsOf(service, cardId), [2000, 20_000, 0])
})

test('even without a check beforehand, the table itself lets no card be overdrawn', async () => {
  const { id: cardId } = await newCard(service, own, 22_000)
  const outcomes = await Promise.allSettled(many(12, () => payByCard(service, own, { cardId, ...PART, blind: true })))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.constraint] : []))
  assert.deepEqual(refused, new Array(7).fill('gift_cards_balance_check'))
  assert.deepEqual(await sumsOf(service, cardId), [2000, 20_000, 0])
})

test("a payment that succeeds spends the card's part, one that fails frees it, each once", async () => {
  const { id: cardId } = await newCard(service, own)
  const [paid, unpaid] = [await pay(cardId), await pay(cardId)]
  assert.deepEqual(await sumsOf(service, cardId), [42_000, 8000, 0])
  for (let time = 0; time < 2; time += 1) {
    await moveCharge(service.app, { charge: paid, to: paidOf(paid.id), alongside: wordOf(paid, 'succeeded') })
    await moveCharge(service.app, { charge: unpaid, to: UNPAID, alongside: wordOf(unpaid, 'failed') })
    assert.deepEqual(await sumsOf(service, cardId), [46_000, 0, 4000])
  }
  assert.deepEqual([await useOf(service, paid.id), await useOf(service, unpaid.id)], ['taken', 'freed'])
})

test('several uses of one card that end in one batch add up, beside those of another card', async () => {
  const [{ id: one }, { id: other }] = [await newCard(service, own), await newCard(service, own)]
  const charges = [...(await Promise.all(many(6, () => pay(one)))), await pay(other), await pay(other)]
  await Promise.all(
    charges.map((charge, at) =>
      moveCharge(service.app, {
        charge,
        to: at % 3 === 0 ? UNPAID : paidOf(charge.id),
        alongside: wordOf(charge, at % 3 === 0 ? 'failed' : 'succeeded'),
      }),
    ),
  )
  assert.deepEqual(await sumsOf(service, one), [34_000, 0, 16_000])
  assert.deepEqual(await sumsOf(service, other), [46_000, 0, 4000])
  await end(charges.map((charge) => [charge, 'freed'] as const))
  assert.deepEqual(await sumsOf(service, one), [34_000, 0, 16_000], 'what has ended stays as it is')
})

test('if one payment is reported paid and failed at once, the card follows the report that counts', async () => {
  const { id: cardId } = await newCard(service, own)
  const charges = await Promise.all(many(10, () => pay(cardId)))
  await Promise.all(charges.flatMap((charge) => [end([[charge, 'taken']]), end([[charge, 'freed']])]))
  const states = await Promise.all(charges.map(({ id }) => useOf(service, id)))
  const taken = states.filter((state) => state === 'taken').length
  assert.deepEqual(states.filter((state) => state === 'freed').length, 10 - taken)
  assert.deepEqual(await sumsOf(service, cardId), [50_000 - taken * 4000, 0, taken * 4000])
  await restore(charges)
  await forget(charges)
})

test('a refund returns the spent part once, even if the card has expired or was switched off', async () => {
  const [{ id: expired }, { id: off }] = [await newCard(service, own), await newCard(service, own)]
  const charges = await Promise.all([pay(expired), pay(expired), pay(off), pay(off)])
  const holder = { id: own.merchantId, tag: own.tag }
  await deactivateCard(service.app, BY_HAND, { owner: holder, cardId: off })
  await service.rows('update gift_cards set expires_at = created_at where id = $1', [expired])
  await end([
    [charges[0], 'taken'],
    [charges[1], 'taken'],
    [charges[2], 'taken'],
    [charges[3], 'freed'],
  ])
  assert.deepEqual(await sumsOf(service, expired), [42_000, 0, 8000])
  assert.deepEqual(await sumsOf(service, off), [46_000, 0, 4000])
  const uses = await restore(charges)
  assert.deepEqual(uses.map(({ amount, state }) => [amount, state]).sort(), [
    [4000, 'freed'],
    [4000, 'taken'],
    [4000, 'taken'],
    [4000, 'taken'],
  ])
  await Promise.all([restore(charges), restore(charges)])
  for (const card of [expired, off]) assert.deepEqual(await sumsOf(service, card), [50_000, 0, 0])
  await forget(charges)
})

test('cards are locked in the order of their ids, whatever the order of their charges', async () => {
  const cards = [(await newCard(service, own)).id, (await newCard(service, own)).id].sort()
  const [first = '', second = ''] = cards
  const charges = [await pay(second), await pay(first)]
  const other = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await other.connect()
  try {
    const lock = (id: string) => other.query(`select from gift_cards where id = $1 for no key update nowait`, [id])
    await other.query('begin')
    await lock(first)
    const ending = end(charges.map((charge) => [charge, 'freed'] as const))
    await eventually('the batch waits for a card', async () => (await waiting()) === 1)
    await lock(second)
    await other.query('commit')
    await ending
  } finally {
    await other.end()
  }
  for (const id of cards) assert.deepEqual(await sumsOf(service, id), [50_000, 0, 0])
  await forget(charges)
})

test('a charge named twice in one batch is a mistake of ours and moves nothing', () => {
  const use = { merchantId: 1, chargeId: 'txn_1', to: 'taken' as const }
  assert.throws(() => endCardUses([use, use], service.clock.now()), /each charge is named once/)
  const charge = { merchantId: 1, id: 'txn_1' }
  assert.throws(() => restoreCards([charge, charge], service.clock.now()), /each charge is named once/)
})

test('a code finds its card however it is written, for its own merchant, in live, while it can pay', async () => {
  const [card, stranger] = [await newCard(service, own), await payer(service)]
  const find = (text: string, mode: Mode = 'live', merchantId = own.merchantId) =>
    findUsableCard(service.app, { merchantId, mode, text })
  for (const text of [card.code, card.code.toLowerCase(), ` ${card.code.replaceAll('-', '')} `])
    assert.equal((await find(text))?.id, card.id)
  assert.equal(await find(card.code, 'test'), null)
  assert.equal(await find(card.code, 'live', stranger.merchantId), null)
  for (const text of ['', 'nonsense', 'AAAA-AAAA-AAAA', card.id, `${card.code}A`, '\0'])
    assert.equal(await find(text), null, JSON.stringify(text))
  const holder = { id: own.merchantId, tag: own.tag }
  await deactivateCard(service.app, BY_HAND, { owner: holder, cardId: card.id })
  assert.equal(await find(card.code), null)
  await activateCard(service.app, BY_HAND, { owner: holder, cardId: card.id })
  assert.equal((await find(card.code))?.id, card.id)
  for (const change of ['balance = 0, reserved = value', 'balance = 0, spent = value', 'expires_at = created_at']) {
    await service.rows(`update gift_cards set ${change} where id = $1`, [card.id])
    assert.equal(await find(card.code), null, change)
    await service.rows(
      `update gift_cards set balance = value, reserved = 0, spent = 0, expires_at = $2 where id = $1`,
      [card.id, new Date(service.clock.nowMs() + DAY)],
    )
  }
  service.pass(DAY + 1)
  assert.equal(await find(card.code), null, 'a day later it has expired')
  const known = await findCard(service.app, { merchantId: own.merchantId, cardId: card.id })
  assert.equal(known?.last4, card.code.slice(-4))
  assert.equal(await findCard(service.app, { merchantId: stranger.merchantId, cardId: card.id }), null)
})

test('cards are listed newest first, page by page, each once', async () => {
  const shop = await payer(service)
  const holder = { id: shop.merchantId, tag: shop.tag, active: true }
  for (const quantity of [3, 4]) {
    await issueCards(service.app, BY_HAND, {
      issuer: holder,
      value: 1000,
      quantity,
      expires: null,
      notes: null,
    })
    service.pass(1000)
  }
  const all = await listCards(service.app, shop.merchantId, { after: null, limit: 100 })
  assert.equal(all.length, 7)
  const times = all.map(({ createdAt }) => createdAt.getTime())
  assert.deepEqual(
    times,
    [...times].sort((a, b) => b - a),
  )
  const ids: string[] = []
  for (let after: (typeof all)[number] | null = null; ; ) {
    const page: typeof all = await listCards(service.app, shop.merchantId, { after, limit: 2 })
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1) ?? null
    if (page.length < 2) break
  }
  assert.deepEqual(
    ids,
    all.map(({ id }) => id),
  )
})
