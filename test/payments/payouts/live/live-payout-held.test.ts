import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { resolveException } from '../../../../src/payments/exceptions/resolve-exception.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { lookOnce, movementsOf, settle, submitsOf } from '../../../helpers/payments/following-payouts.ts'
import { openMismatch } from '../../../helpers/payments/open-exceptions.ts'
import { PAID, postingsOf, RESERVED } from '../../../helpers/payments/payout-money.ts'
import { payoutOf, queueBulk, queueRefund, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer, type Shop, startBeside } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'

// Stops that come between the reservation of a queued payout and its sending (contract.md G69, G70; rails.md 4.6).
const FUNDS = 500_000
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startBeside(service))

type Stop = { on(shop: Shop): Promise<void>; off(shop: Shop): Promise<void> }
const hold = async ({ merchant }: Shop, reason: string | null) => {
  const { app, merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await freezeAccount(app, BY_HAND, { merchantId: row.id, reason })
}
const STOPS: Record<string, Stop> = {
  'the freeze of the platform': {
    on: () => freezePlatform(service.gateway, BY_HAND, 'a review'),
    off: () => freezePlatform(service.gateway, BY_HAND, null),
  },
  'the freeze of the account': {
    on: (shop) => hold(shop, 'a person asked'),
    off: (shop) => hold(shop, null),
  },
  'an open critical exception': { on: (shop) => breakOpen(shop), off: (shop) => resolveAll(shop) },
}
for (const [name, stop] of Object.entries(STOPS))
  test(`${name} between reservation and sending holds queued payouts back; nothing is returned, and afterwards each is sent once`, async () => {
    const shop = await richShop(service, FUNDS)
    const free = await richShop(service, FUNDS)
    const ids = [...(await queueBulk(shop, [newPayer(), newPayer()])), await queueRefund(service, shop)]
    const [other = ''] = await queueBulk(free)
    const money = await balanceOf(shop.live)
    await stop.on(shop)
    for (let nth = 0; nth < 4; nth += 1) {
      service.pass(60_000)
      await Promise.all([service.run('send-payouts'), second.run('send-payouts')])
    }
    for (const id of ids) {
      assert.equal(await submitsOf(service, id), 0)
      assert.deepEqual(await postingsOf(service, id), RESERVED)
      assert.deepEqual(await eventsOf(service, id), [])
    }
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await payoutOf(shop.live, id)).status)), [
      'pending',
      'pending',
      'authorized',
    ])
    assert.deepEqual(await balanceOf(shop.live), money)
    assert.equal(await submitsOf(service, other), name.includes('platform') ? 0 : 1, 'other accounts')
    await stop.off(shop)
    for (const id of [...ids, other]) {
      for (let look = 0; look < 3 && (await submitsOf(service, id)) === 0; look += 1) await lookOnce(service, id)
      await settle(service, id)
      assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
      assert.deepEqual(await postingsOf(service, id), PAID)
    }
  })

async function breakOpen({ merchant }: Shop): Promise<void> {
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await openMismatch(service, { merchantId: row.id, tag: row.tag }, 'live')
}

async function resolveAll({ merchant }: Shop): Promise<void> {
  const { app, merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const open = await service.rows<{ id: string }>(
    'select id from exceptions where merchant_id = $1 and closed_at is null',
    [row.id],
  )
  for (const { id } of open)
    await resolveException(app, BY_HAND, {
      merchantId: row.id,
      id,
      note: 'looked into',
      resolution: 'no_difference',
    })
}
