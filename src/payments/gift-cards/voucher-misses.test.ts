import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { newLink } from '../../../test/helpers/payments/gift-cards.ts'
import { type Payer, payer } from '../../../test/helpers/payments/schedules.ts'
import { startService, type TestService } from '../../../test/helpers/service/test-service.ts'
import { countVoucherMiss, readVoucherBox, type VoucherLinkKey } from './voucher-misses.ts'

let service: TestService
let own: Payer
before(async () => {
  service = await startService()
  own = await payer(service)
})
after(() => service.close())

const DAY = 86_400_000
const link = async (): Promise<VoucherLinkKey> => ({
  merchantId: own.merchantId,
  linkId: await newLink(service, own),
})
const box = (voucherLink: VoucherLinkKey) => readVoucherBox(service.app, voucherLink)
/** Enters this many wrong codes one after the other; returns the answer to the last one. */
async function miss(one: VoucherLinkKey, times: number): Promise<string | undefined> {
  let last: string | undefined
  for (let time = 0; time < times; time += 1) last = await countVoucherMiss(service.app, one)
  return last
}
const countOf = async ({ linkId }: VoucherLinkKey) =>
  (await service.rows<{ misses: number }>('select misses from voucher_misses where link_id = $1', [linkId]))[0]?.misses

test('the twentieth wrong code within a day closes the box of its link for a day', async () => {
  const [one, other] = [await link(), await link()]
  assert.equal(await box(one), 'open', 'nobody has tried yet')
  assert.deepEqual([await miss(one, 19), await box(one)], ['open', 'open'])
  service.pass(DAY - 60_000)
  assert.deepEqual([await miss(one, 1), await box(one)], ['closed', 'closed'])
  assert.equal(await box(other), 'open')
  service.pass(DAY - 60_000)
  assert.equal(await box(one), 'closed')
  service.pass(60_001)
  assert.deepEqual([await box(one), await miss(one, 19), await box(one)], ['open', 'open', 'open'])
  assert.equal(await miss(one, 1), 'closed', 'the second day has twenty too')
})

test('wrong codes of another day do not count', async () => {
  const one = await link()
  await miss(one, 19)
  service.pass(DAY)
  assert.deepEqual([await miss(one, 19), await box(one)], ['open', 'open'])
  assert.equal(await miss(one, 1), 'closed')
})

test('entering codes while the box is closed does not keep it closed', async () => {
  const one = await link()
  await miss(one, 20)
  service.pass(DAY / 2)
  assert.equal(await miss(one, 50), 'closed')
  assert.equal(await countOf(one), 20)
  service.pass(DAY / 2 + 1)
  assert.equal(await box(one), 'open')
})

test('thirty wrong codes at once: each of the first twenty is counted, and the box is closed', async () => {
  const one = await link()
  const told = await Promise.all(Array.from({ length: 30 }, () => countVoucherMiss(service.app, one)))
  assert.equal(told.filter((state) => state === 'open').length, 19)
  assert.deepEqual([await countOf(one), await box(one)], [20, 'closed'])
})
