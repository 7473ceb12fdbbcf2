import assert from 'node:assert/strict'
import test from 'node:test'
import { removeMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { assertFree, assertKept, caseOf, type Rule } from '../../../api/http/kept-or-free.ts'
import {
  CURRENCY,
  FEE,
  INACTIVE,
  NO_MACHINE,
  NO_ORDER,
  NOT_POSITIVE,
  overLimit,
  TOO_MUCH,
  unverified,
  VENDING_OFF,
} from '../../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid, type Refused } from '../../../api/http/refused.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { GOODS, makeOrder, ORDERS, orderBody, vendingShop } from '../../../helpers/vending/vending.ts'

const service = opened(() => startService())
const shop = made(() => vendingShop(service))

const OFF: Refused = VENDING_OFF
const NO_SUPPLIER = domain('supplier_not_configured', 'machine supplier is not configured for this merchant')
const NEEDS_SPBH = 'each goods item needs an spbh (product number)'
const PRICE = 'goods[0].spdj must be a whole number of at least 0'
const priced = (spdj: unknown) => ({ goods: [{ spbh: '1', spdj }] })
const FORM: [object | string, string][] = [
  ['[]', 'body must be a JSON object'],
  [{ machine: undefined }, 'machine is required'],
  [{ machine: null, amount: 'x', goods: 7 }, 'machine is required'],
  [{ machine: ' ' }, 'machine is required'],
  [{ machine: 7 }, 'machine must be a string'],
  [{ machine: 'm'.repeat(65) }, 'machine must be at most 64 characters'],
  [{ machine: 'a\tb' }, 'machine contains control characters'],
  [{ amount: '5000', goods: 7 }, 'amount must be an integer'],
  [{ amount: undefined }, 'amount must be an integer'],
  [{ goods: undefined, currency: 7 }, 'goods list is required'],
  [{ goods: null }, 'goods list is required'],
  [{ goods: [] }, 'goods list is required'],
  [{ goods: 'water' }, 'goods list is required'],
  [{ goods: { spbh: '1' } }, 'goods list is required'],
  [{ goods: ['1'] }, NEEDS_SPBH],
  [{ goods: [null] }, NEEDS_SPBH],
  [{ goods: [[]] }, NEEDS_SPBH],
  [{ goods: [...GOODS, {}] }, NEEDS_SPBH],
  [{ goods: [{ spbh: null }] }, NEEDS_SPBH],
  [{ goods: [{ spbh: ' ' }] }, NEEDS_SPBH],
  [{ goods: [{ spbh: 1.5 }] }, NEEDS_SPBH],
  [{ goods: [{ spbh: true }] }, NEEDS_SPBH],
  [{ goods: [{ spbh: 1e21 }] }, NEEDS_SPBH],
  [{ goods: [...Array(50).fill(GOODS[0]), {}] }, NEEDS_SPBH],
  [{ goods: Array(51).fill(GOODS[0]) }, 'goods supports at most 50 items'],
  [{ goods: [{ spbh: '1'.repeat(65) }] }, 'goods[0].spbh must be at most 64 characters'],
  [{ goods: [{ spbh: '1\n' }] }, 'goods[0].spbh contains control characters'],
  [{ goods: [...GOODS, { spbh: 1, spmc: 7 }] }, 'goods[1].spmc must be a string'],
  [{ goods: [{ spbh: 1, spmc: 'm'.repeat(201) }] }, 'goods[0].spmc must be at most 200 characters'],
  [priced(-1), PRICE],
  [priced(0.5), PRICE],
  [priced('1.5'), PRICE],
  [priced('x'), PRICE],
  [priced(true), PRICE],
  [{ currency: 7, reference: 7 }, 'currency must be a string'],
  [{ reference: 'r'.repeat(256), success_url: 'x' }, 'reference must be at most 255 characters'],
  [{ success_url: 'shop.example', description: 7 }, 'success_url must be an http or https URL'],
  [{ success_url: '//shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: ' https://shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: 'https://bank.example@shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: 'javascript:alert(1)' }, 'success_url must be an http or https URL'],
  [{ success_url: 7 }, 'success_url must be a string'],
  [{ description: ['cold'] }, 'description must be a string'],
  [{ description: 'd'.repeat(1001) }, 'description must be at most 1000 characters'],
  [{ pay_account: 'p'.repeat(65) }, 'pay_account must be at most 64 characters'],
]
for (const [body, problem] of FORM)
  test(`a fault in the form of an order: ${problem} (${JSON.stringify(body).slice(0, 60)})`, () => {
    const faulty = typeof body === 'string' ? body : orderBody(body)
    const sent = {
      api: shop.api,
      path: ORDERS,
      body: faulty,
      expected: invalid(problem),
      keyless: true,
    } as const
    return assertFree({ ...sent, digest: service.digest }, orderBody())
  })

test('the longest and oddest goods pass, and come back as they were', async () => {
  const goods = Array.from({ length: 50 }, (_, nth) => ({
    spbh: nth % 2 === 0 ? nth : `${'🥚'.repeat(63)}${nth % 10}`,
    spmc: nth % 3 === 0 ? null : '🥚'.repeat(200),
    spdj: [0, '0', '', null, 9007199254740991, '9999999999999999'][nth % 6],
    more: { '': [[], {}, 'a"b\\c', 1.25, -0.5] },
  }))
  const made = await makeOrder(shop, { goods })
  assert.deepEqual(made.goods, goods)
  assert.deepEqual((await shop.api.get(`${ORDERS}/${made.order_id}`)).body.goods, goods)
})

// Each with a fault of every rule behind it, as far as one merchant can have them all.
const ALL_WRONG = { amount: 0, currency: 'KES', machine: 'absent' }
const RULES: Rule[] = [
  {
    expected: INACTIVE,
    body: ALL_WRONG,
    fault: { active: false, vendingEnabled: false },
    cured: { active: true },
  },
  { expected: NOT_POSITIVE, body: ALL_WRONG, live: true },
  { expected: NOT_POSITIVE, body: { ...ALL_WRONG, amount: -5 } },
  { expected: TOO_MUCH, body: { ...ALL_WRONG, amount: 1_000_000_001 } },
  { expected: TOO_MUCH, body: { ...ALL_WRONG, amount: 1e30 } },
  {
    expected: overLimit('charge', 999),
    body: { currency: 'KES' },
    fault: { chargeLimit: 999 },
    cured: { chargeLimit: 1000 },
  },
  { expected: CURRENCY, body: { ...ALL_WRONG, amount: 200 }, live: true },
  {
    expected: FEE,
    body: { amount: 200, machine: 'absent' },
    live: true,
    fault: { kycStatus: 'pending' },
  },
  { expected: FEE, body: { amount: 1 } },
  { expected: NO_MACHINE, body: { machine: 'absent' }, live: true, fault: { kycStatus: 'pending' } },
  { expected: NO_MACHINE, body: { machine: 'm-1' } },
  { expected: NO_MACHINE, body: { machine: "M-1' or '1'='1" } },
  {
    expected: unverified('charges'),
    live: true,
    fault: { kycStatus: 'pending' },
    cured: { kycStatus: 'verified' },
  },
  { expected: NO_SUPPLIER, live: true },
]
for (const refusal of RULES)
  test(`an order refused by rule: ${refusal.expected.error} is kept under its key (${caseOf(refusal)})`, async () => {
    const { expected, live, fault, cured } = refusal
    const own = await vendingShop(service, { verified: true })
    if (fault) await service.set(own.merchant, fault)
    const body = orderBody(refusal.body as object)
    const sent = { api: live ? own.live : own.api, path: ORDERS, body, expected, keyless: true } as const
    await assertKept({ ...sent, digest: service.digest }, async () => cured && service.set(own.merchant, cured))
  })

test('while vending is off no order is made, and the same key is right once it is on', async () => {
  const own = await vendingShop(service)
  await service.set(own.merchant, { vendingEnabled: false })
  const digest = await service.digest()
  const key = { 'idempotency-key': 'k' }
  assertRefused(await own.api.post(ORDERS, orderBody(ALL_WRONG), key), OFF)
  assertRefused(await own.api.post(ORDERS, orderBody({ goods: [] }), key), invalid('goods list is required'))
  assertRefused(await own.live.post(ORDERS, orderBody(), key), OFF)
  assert.equal(await service.digest(), digest)
  await service.set(own.merchant, { vendingEnabled: true })
  assert.equal((await own.api.post(ORDERS, orderBody(), key)).status, 201)
})

test('an inactive, a removed and a foreign machine are as unknown as one that never was', async () => {
  const own = await vendingShop(service)
  const { merchantId } = own
  await service.rows('update machines set active = false where merchant_id = $1 and machine = $2', [merchantId, 'M-1'])
  await removeMachine(service.app, BY_HAND, { merchantId, machine: 'M-2' })
  await service.rows(
    `insert into machines (merchant_id, machine, name, created_at) values ($1, 'theirs', 'theirs', now())`,
    [shop.merchantId],
  )
  const charge = await paidCharge(service, own)
  for (const machine of ['M-1', 'M-2', 'theirs', 'absent']) {
    assertRefused(await own.api.post(ORDERS, orderBody({ machine })), NO_MACHINE, { because: machine })
    assertRefused(await own.api.post(DISPENSE, dispenseBody(charge, { machine })), NO_MACHINE, {
      because: machine,
    })
  }
  assert.equal((await own.api.post(DISPENSE, dispenseBody(charge, { machine: 'M-OK' }))).status, 200)
})

test('a live order and a live dispense need a supplier; a test one never does', async () => {
  const own = await vendingShop(service, { verified: true })
  assertRefused(await own.live.post(ORDERS, orderBody()), NO_SUPPLIER)
  await service.rows(
    `insert into vending_suppliers (merchant_id, base_url, shbh, key_ciphertext, secret_ciphertext, changed_at)
     values ($1, 'https://supplier.invalid', '1', '', '', now())`,
    [own.merchantId],
  )
  const { status, body } = await own.live.post(ORDERS, orderBody())
  assert.deepEqual([status, body.mode], [201, 'live'])
  assertRefused(await own.api.get(`${ORDERS}/${body.order_id}`), NO_ORDER)
})
