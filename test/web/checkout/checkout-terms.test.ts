import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import type { MerchantChange } from '../../../src/merchants/account/set-merchant.ts'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { auditedAs } from '../../helpers/service/audited-as.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { GOODS, ORDERS, registerMachines } from '../../helpers/vending/vending.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, pay, payDuring, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const AMOUNT = 5000
const PAYS = { channel: 'op1_momo', phone: '0772123456' }

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))
const somebody = visitor(service)
prepare(async () => {
  await registerMachines(service, shop.row.id, ['M-1'])
})

const set = (change: MerchantChange) => service.set(shop.merchant, change)
const nothingSpecial = () => set({ chargeLimit: null, vendingEnabled: true })
const order = async (): Promise<string> => {
  const made = await shop.test.post(ORDERS, { machine: 'M-1', amount: AMOUNT, goods: GOODS })
  assert.equal(made.status, 201, made.text)
  return made.body.order_id
}
const item = async (): Promise<string> => {
  const wanted = { name: 'Basket', amount: AMOUNT, description: null, picture: null }
  return (await addItem(service.app, BY_HAND, { mode: 'live', shop: shop.row, ...wanted })).item.linkId
}
const screenOf = async (id: string) =>
  /<main id="screen" class="([a-z]+)"/.exec((await somebody.get(`/vending/display/${id}`)).text)?.[1]
const submit = (id: string) => visitor(service).post(`/pay/${id}/submit`, { ...PAYS, phone: newPayer() })

/** Everything that can be paid on a page, made while it was still allowed. */
const PAID: Record<string, () => Promise<string>> = {
  'a link': () => shop.link(),
  'a test link': () => shop.testLink(),
  'a reusable link': () => shop.link({ allow_multiple_uses: true }),
  'an item': item,
  'an order': order,
}

for (const [name, made] of Object.entries(PAID))
  test(`C4 ${name} above a charge limit that was lowered since cannot be paid; one at the limit can`, async () => {
    await nothingSpecial()
    const id = await made()
    const form = await somebody.get(`/pay/${id}`)
    await set({ chargeLimit: AMOUNT - 1 })
    const closed = await somebody.get(`/pay/${id}`)
    assert.deepEqual([closed.status, hasForm(closed, '/submit')], [200, false])
    const before = await service.digest()
    assert.equal((await somebody.send(form, '/submit', PAYS)).status, 409)
    assert.equal(await service.digest(), before)
    if (name === 'an order') assert.equal(await screenOf(id), 'closed')
    await set({ chargeLimit: AMOUNT })
    assert.equal((await submit(id)).status, 302)
    assert.equal((await chargeOn(service, id)).amount, AMOUNT)
  })

test('C4 a card that covers an amount above the limit does not pay it either', async () => {
  await nothingSpecial()
  const id = await shop.link()
  const { code } = await shop.card(AMOUNT)
  const form = await applyCode(somebody, id, code)
  await set({ chargeLimit: AMOUNT - 1 })
  assert.equal((await somebody.send(form, '/submit', {})).status, 409)
  assert.deepEqual(await chargesOn(service, id), [])
})

test('C4 after a failure above the limit no retry is offered', async () => {
  await nothingSpecial()
  const id = await shop.testLink()
  await pay(somebody, id, { phone: '0700000001' })
  await sandboxDecides(service)
  assert.ok(hasForm(await somebody.get(`/pay/${id}/status`), '/retry'))
  await set({ chargeLimit: AMOUNT - 1 })
  assert.equal(hasForm(await somebody.get(`/pay/${id}/status`), '/retry'), false)
})

test("C4 an amount above the platform's maximum, lowered since, is not paid", async () => {
  await nothingSpecial()
  const id = await shop.link()
  const { database, clock } = service
  const lower = await startService({ database, clock, env: { AMOUNT_MAX: `${AMOUNT - 1}` } })
  try {
    const answer = await fetch(`${lower.url}/pay/${id}/submit`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(PAYS),
    })
    assert.equal(answer.status, 409, await answer.text())
    assert.deepEqual(await chargesOn(service, id), [])
  } finally {
    await lower.close()
  }
})

// Changes made while a payment that has seen an open page waits for its turn.
const MEANWHILE: [string, () => Promise<string>, MerchantChange][] = [
  ['C4 a limit lowered', () => shop.testLink(), { chargeLimit: AMOUNT - 1 }],
  ['C4 a limit lowered, of a reusable link,', () => shop.testLink({ allow_multiple_uses: true }), { chargeLimit: 1 }],
  ['C4 a limit lowered, of an order,', order, { chargeLimit: AMOUNT - 1 }],
  ['M11 vending switched off, of an order,', order, { vendingEnabled: false }],
]
for (const [name, made, change] of MEANWHILE)
  test(`${name} while a payment waits for its turn refuses the payment`, async () => {
    await nothingSpecial()
    const id = await made()
    const changed = async () => {
      await set(change)
      return []
    }
    const place = { merchantId: shop.row.id, id }
    const answer = await payDuring(service, place, { paying: () => submit(id), change: changed })
    assert.equal(answer.status, 409, answer.text)
    assert.deepEqual(await chargesOn(service, id), [])
  })

for (const [name, made, column, act] of [
  ['C4 a charge limit', () => shop.link(), 'charge_limit = 1', ['merchant.terms', { chargeLimit: 1 }]],
  ['M11 the switch of vending', order, 'vending_enabled = false', ['merchant.vending', { vendingEnabled: false }]],
] as const)
  test(`${name} that is just being written applies to a payment, which waits for it`, async () => {
    await nothingSpecial()
    const id = await made()
    const operator = new pg.Client({ connectionString: service.database.url })
    await operator.connect()
    try {
      await operator.query('begin')
      await operator.query(`update cell_0.merchants set ${column} where id = $1`, [shop.row.id])
      const paying = submit(id)
      await Promise.race([paying, somebodyWaits(service)])
      await operator.query('commit')
      const answer = await paying
      assert.equal(answer.status, 409, answer.text)
      assert.deepEqual(await chargesOn(service, id), [])
      await auditedAs(service, shop.merchant.id, act)
    } finally {
      await operator.end()
    }
  })

test('M11 vending switched off closes orders and nothing else', async () => {
  await nothingSpecial()
  const [link, paid] = [await shop.testLink(), await order()]
  await set({ vendingEnabled: false })
  assert.equal(hasForm(await somebody.get(`/pay/${paid}`), '/submit'), false)
  assert.equal(await screenOf(paid), 'off')
  assert.equal((await submit(paid)).status, 409)
  assert.equal((await submit(link)).status, 302)
})

test('an order that expires while its payment waits for a lock is not paid', async () => {
  await nothingSpecial()
  const id = await order()
  const place = { merchantId: shop.row.id, id }
  const change = async () => {
    service.pass(DAY)
    return []
  }
  const answer = await payDuring(service, place, { paying: () => submit(id), change })
  assert.deepEqual([answer.status, await chargesOn(service, id)], [410, []])
})
