import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { requestWithdrawal } from '../../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../../src/payments/withdrawals/withdrawal-number.ts'
import { openMismatch } from '../../../helpers/payments/open-exceptions.ts'
import { queueBulk, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, crewed } from '../../../helpers/payments/preparing.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import type { Shop } from '../../../helpers/service/live-service.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

// Why a payout has not been sent, on every page that shows its state.
const service = opened(() => startPayingService())
const rowOf = async ({ merchant }: Pick<Shop, 'merchant'>) => getMerchantNamed(service.gateway, merchant.id)
const freeze = async (shop: Shop, reason: string | null) => {
  const { app, merchant } = await rowOf(shop)
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason })
}
const freezeAll = (reason: string | null) => freezePlatform(service.gateway, BY_HAND, reason)

/** What the merchant's people and our staff read of this payout, on its pages and in lists. */
async function readPages({ merchant }: Shop, id: string) {
  const [owner, staff] = [await signedInAs(service, merchant), await operatorSignedIn(service, 'risk')]
  const [batch] = await service.rows<{ id: string | null }>('select batch_id as id from payouts where id = $1', [id])
  const batchPath = batch?.id ? `/dashboard/bulk/${batch.id}` : null
  return {
    page: mainOf(await owner.get(`/dashboard/payouts/${id}`)),
    list: mainOf(await owner.get('/dashboard/payouts')),
    batch: batchPath === null ? null : mainOf(await owner.get(batchPath)),
    staffPage: await staff.get(`/console/payments/${id}`),
    staffList: mainOf(await staff.get(`/console/payments?merchant=${merchant.id}&state=open`)),
  }
}

const STOPS = {
  platform: {
    on: () => freezeAll('a review'),
    off: () => freezeAll(null),
    texts: [
      /stopped for the whole platform/,
      /waits: payouts are stopped/,
      /platform are frozen/,
      /waits: platform frozen/,
    ],
    link: /href="\/console\/freeze"/,
  },
  account: {
    on: (shop: Shop) => freeze(shop, 'a person asked'),
    off: (shop: Shop) => freeze(shop, null),
    texts: [/our staff have stopped/, /waits: payouts are stopped/, /this account are frozen/, /waits: account frozen/],
    link: /href="\/console\/merchants\/mer_\w+"/,
  },
  exception: {
    on: async (shop: Shop) => {
      const { merchant } = await rowOf(shop)
      await openMismatch(service, { merchantId: merchant.id, tag: merchant.tag }, 'live')
    },
    off: async () => {},
    texts: [
      /while a payment is investigated/,
      /waits: under investigation/,
      /an open exception pauses/,
      /paused by an exception/,
    ],
    link: /href="\/console\/exceptions\/exc_\w+"/,
  },
}

for (const [kind, { on, off, texts, link }] of Object.entries(STOPS))
  test(`a queued payout says that it waits for the stop: ${kind}`, async () => {
    const shop = await richShop(service)
    const [id = ''] = await queueBulk(shop)
    const [says, brief, staffSays, staffBrief] = texts as [RegExp, RegExp, RegExp, RegExp]
    assert.doesNotMatch((await readPages(shop, id)).page, /It waits/)
    await on(shop)
    const pages = await readPages(shop, id)
    assert.match(pages.page, says)
    assert.doesNotMatch(pages.page, /It is under way/)
    assert.match(pages.list, brief)
    assert.match(pages.batch ?? '', brief)
    assert.match(mainOf(pages.staffPage), staffSays)
    assert.match(pages.staffPage.text, link)
    assert.match(pages.staffList, staffBrief)
    await off(shop)
  })

test('a withdrawal says that it waits for approval', async () => {
  const shop = await richShop(service)
  const { app, merchant } = await rowOf(shop)
  const number = { merchantId: merchant.id, phone: '0772 000 111' }
  await setWithdrawalNumber(app, BY_HAND, number)
  await verifyWithdrawalNumber(app, BY_HAND, number)
  const { id } = await requestWithdrawal(app, BY_HAND, { merchantId: merchant.id, amount: 100_000 })
  const pages = await readPages(shop, id)
  assert.match(pages.page, /until our staff have approved it/)
  assert.match(pages.list, /waits for our approval/)
  assert.match(mainOf(pages.staffPage), /waits to be approved or rejected/)
  assert.match(pages.staffList, /waits for approval/)
})

test('a prepared payout waits for a second person, and says what would refuse its approval now', async () => {
  const crew = await crewed(service, { funds: 50_000 })
  const [first, id] = [
    await ask(service, crew.anna, { amount: 30_000 }),
    await ask(service, crew.anna, { amount: 30_000 }),
  ]
  const owner = await signedInAs(service, crew.merchant)
  assert.match(mainOf(await owner.get('/dashboard/payouts/prepared')), /waits for a second person/)
  const path = `/dashboard/payouts/prepared/${id}`
  assert.doesNotMatch(mainOf(await owner.get(path)), /is missing for it/)
  await approve(service, crew.ben, first)
  const short = mainOf(await owner.get(path))
  assert.match(short, /UGX 10,900 is missing for it/)
  assert.doesNotMatch(short, /Payouts are stopped now/)
  await freeze(crew, 'a person asked')
  assert.match(mainOf(await owner.get(path)), /stopped by our staff.*Payouts are stopped now/)
})
