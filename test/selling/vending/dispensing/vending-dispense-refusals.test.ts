import assert from 'node:assert/strict'
import test from 'node:test'
import { assertFree } from '../../../api/http/kept-or-free.ts'
import { INACTIVE, NO_MACHINE, NO_ORDER, VENDING_OFF } from '../../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid, notFound, type Refused } from '../../../api/http/refused.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import {
  dispensingOrder,
  failedOrder,
  GOODS,
  makeOrder,
  NON_PAYER,
  ORDERS,
  orderBody,
  payOrder,
  submitPayment,
  type VendingShop,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const service = opened(() => startService())
const shop = made(() => vendingShop(service))

const OFF: Refused = VENDING_OFF
const SPENT: Refused = {
  status: 409,
  code: 'conflict',
  error: 'this charge has already paid for a dispense',
}
const notSucceeded = (status: string) =>
  domain('charge_not_succeeded', `cannot dispense: charge status is ${status}, not succeeded`)

test('a retry is refused in its order: active, known, vending on, then the charge', async () => {
  const own = await vendingShop(service)
  const { order_id } = await makeOrder(own)
  const retry = (id = order_id) => own.api.post(`${ORDERS}/${id}/dispense`)
  const digest = await service.digest()
  await service.set(own.merchant, { active: false, vendingEnabled: false })
  assertRefused(await retry('lnk_absent'), INACTIVE)
  await service.set(own.merchant, { active: true })
  assertRefused(await retry('lnk_absent'), NO_ORDER)
  assertRefused(await retry(), OFF)
  await service.set(own.merchant, { vendingEnabled: true })
  assertRefused(await retry(), notSucceeded('unpaid'))
  assert.equal(await service.digest(), digest)
  const failed = await failedOrder(service, own)
  await service.set(own.merchant, { vendingEnabled: false })
  assertRefused(await retry(failed.order_id), OFF)
})

test('a retry of an order whose charge is not paid says where that charge stands', async () => {
  const open = await makeOrder(shop)
  await submitPayment(service, open.order_id)
  assertRefused(await shop.api.post(`${ORDERS}/${open.order_id}/dispense`), notSucceeded('authorized'))
  const failed = await makeOrder(shop)
  await payOrder(service, failed.order_id, NON_PAYER)
  assertRefused(await shop.api.post(`${ORDERS}/${failed.order_id}/dispense`), notSucceeded('failed'))
})

test('an order is taken back while vending is off too, but not by a merchant that is not active', async () => {
  const own = await vendingShop(service)
  const { order_id } = await makeOrder(own)
  await service.set(own.merchant, { active: false, vendingEnabled: false })
  assertRefused(await own.api.post(`${ORDERS}/lnk_absent/invalidate`), INACTIVE)
  assert.equal((await own.api.get(`${ORDERS}/${order_id}`)).status, 200)
  await service.set(own.merchant, { active: true })
  assert.equal((await own.api.post(`${ORDERS}/${order_id}/invalidate`)).body.expired, true)
})

const NEEDS_SPBH = 'each goods item needs an spbh (product number)'
const MISSING = 'machine, order_id, goods and charge_id are required'
const DIRECT_FORM: [object | string, string][] = [
  ['[]', 'body must be a JSON object'],
  ...['machine', 'order_id', 'goods', 'charge_id'].flatMap((name): [object, string][] => [
    [{ [name]: undefined }, MISSING],
    [{ [name]: null }, MISSING],
    [{ [name]: name === 'goods' ? [] : ' ' }, MISSING],
  ]),
  [{ machine: 7 }, 'machine must be a string'],
  [{ machine: 'm'.repeat(65) }, 'machine must be at most 64 characters'],
  [{ order_id: 17 }, 'order_id must be a string'],
  [{ order_id: 'o'.repeat(65) }, 'order_id must be at most 64 characters'],
  [{ order_id: 'a\nb' }, 'order_id contains control characters'],
  [{ order_id: 'a&status=1' }, 'order_id must not contain & or ='],
  [{ goods: 'water' }, 'goods list is required'],
  [{ goods: [{}] }, NEEDS_SPBH],
  [{ goods: Array(51).fill(GOODS[0]) }, 'goods supports at most 50 items'],
  [{ charge_id: 7 }, 'charge_id must be a string'],
  [{ pay_account: 'p'.repeat(65) }, 'pay_account must be at most 64 characters'],
]
for (const [body, problem] of DIRECT_FORM)
  test(`a fault in the form of a direct dispense: ${problem} (${JSON.stringify(body).slice(0, 60)})`, async () => {
    const charge = await paidCharge(service, shop)
    const faulty = typeof body === 'string' ? body : dispenseBody(charge, body)
    const sent = {
      api: shop.api,
      path: DISPENSE,
      body: faulty,
      expected: invalid(problem),
      keyless: true,
    } as const
    await assertFree({ ...sent, digest: service.digest }, dispenseBody(charge))
  })

test('a direct dispense is refused in its order, each kept under its key but 403', async () => {
  const own = await vendingShop(service, { verified: true })
  const foreign = await paidCharge(service, shop)
  const charge = await paidCharge(service, own)
  const customer = { phone: NON_PAYER }
  const failing = (await own.api.charge({ amount: 1000, customer })).body.id
  const open = (await own.api.charge({ amount: 1000 })).body.id
  const wrong = { machine: 'absent' }
  let count = 0
  const expectRefused = async (expected: Refused, id: string, more: object = {}) => {
    count += 1
    const key = { 'idempotency-key': `k${count}` }
    const digest = await service.digest()
    const first = await own.api.post(DISPENSE, dispenseBody(id, more), key)
    assertRefused(first, expected, { because: id })
    const again = await own.api.post(DISPENSE, dispenseBody(id, more), key)
    assert.deepEqual(
      [again.status, again.text === first.text, again.headers.get('idempotent-replayed')],
      expected.status === 403 ? [403, false, null] : [expected.status, true, 'true'],
    )
    assert.equal(await service.digest(), digest, 'zero writes')
  }
  await service.set(own.merchant, { active: false, vendingEnabled: false })
  await expectRefused(INACTIVE, 'txn_absent', wrong)
  await service.set(own.merchant, { active: true })
  await expectRefused(OFF, 'txn_absent', wrong)
  await service.set(own.merchant, { vendingEnabled: true })
  for (const id of ['txn_absent', foreign, charge.replace('txn_', 'lnk_'), `${charge}0`, "' or 1=1"])
    await expectRefused(notFound('charge not found'), id, wrong)
  await expectRefused(notSucceeded('authorized'), open, wrong)
  await expectRefused(NO_MACHINE, charge, wrong)
  service.pass(2000)
  await service.run('follow-charges')
  await expectRefused(notSucceeded('failed'), failing, wrong)
  assertRefused(await own.live.post(DISPENSE, dispenseBody(charge)), notFound('charge not found'))
  assert.equal((await own.api.post(DISPENSE, dispenseBody(charge))).status, 200)
  await expectRefused(NO_MACHINE, charge, wrong)
  await expectRefused(SPENT, charge)
  assert.equal((await own.api.post(`/v1/charges/${open}/refund`)).status, 202)
  await expectRefused(notSucceeded('refunded'), open, wrong)
})

for (const what of ['orders', 'direct', 'invalidate', 'dispense'])
  test(`as many ${what} a minute as the setting says are accepted, refused ones given back`, async (context) => {
    const env = { RATE_LIMIT_VENDING: '2', RATE_LIMIT_DISPENSE_RETRY: '2' }
    const limited = await startService({ database: service.database, clock: service.clock, env })
    context.after(() => limited.close())
    const own = await vendingShop(service)
    const api = limited.client(own.merchant.keys.test)
    const { path, wrong, right } = await LIMITED[what]!(own)
    for (let count = 0; count < 2; count += 1) {
      const refused = (await api.post(wrong, {})).status
      assert.ok(refused >= 400 && refused < 429)
      const { status, text } = await api.post(path, await right())
      assert.ok(status === 200 || status === 201, text)
    }
    const { status, body, headers } = await api.post(path, {})
    assert.deepEqual([status, body.code], [429, 'rate_limited'])
    assert.match(headers.get('retry-after') ?? '', /^[1-9][0-9]?$/)
  })

type Limited = { path: string; wrong: string; right(): unknown }
const LIMITED: Record<string, (own: VendingShop) => Promise<Limited>> = {
  orders: async () => ({ path: ORDERS, wrong: ORDERS, right: () => orderBody() }),
  direct: async (own) => ({
    path: DISPENSE,
    wrong: DISPENSE,
    right: async () => dispenseBody(await paidCharge(service, own)),
  }),
  invalidate: async (own) => {
    const { order_id } = await makeOrder(own)
    const at = (id: string) => `${ORDERS}/${id}/invalidate`
    return { path: at(order_id), wrong: at('lnk_absent'), right: () => undefined }
  },
  dispense: async (own) => {
    // It refuses each time, so each try is a good answer.
    const { order_id } = await dispensingOrder(service, own, { machine: 'M-REFUSE' })
    const at = (id: string) => `${ORDERS}/${id}/dispense`
    return { path: at(order_id), wrong: at('lnk_absent'), right: () => undefined }
  },
}
