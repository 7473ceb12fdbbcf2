import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { railTroubles } from '../../../src/rails/rail-troubles.ts'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { CUSTOMER } from '../../helpers/service/actors.ts'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'
import { ON_BROWSER } from '../browser/browser.ts'
import { walkWithAxe } from '../browser/walk-with-axe.ts'

const TEST = '/dashboard/test'
const receiver = opened(() => startReceiver())
const service = opened(() => startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

/** A shop that has had everything on the pages of money that comes in: paid, failed, refunded, disputed, under way. */
async function busyShop() {
  const { merchant, test: client } = await service.shop({
    name: 'Nnalongo Nakitto’s Ŋŋanda Groceries and Phones',
  })
  await service.set(merchant, { webhookUrl: receiver.url })
  const owner = await signedInAs(service, merchant)
  const charge = async (body: object) => (await client.charge({ ...body })).body.id as string
  await charge({ amount: 500_000_000 })
  const paid = await charge({ amount: 12_500, reference: 'R'.repeat(255) })
  const failed = await charge({ amount: 7000, customer: { phone: '0700000001' } })
  service.pass(3000)
  await service.run('follow-charges')
  await deliverAll(service)
  const merchantId = (await getMerchantNamed(service.gateway, merchant.id)).merchant.id
  const report = { reason: 'not_delivered', details: 'It never came', contact: '0772 123 456' } as const
  await openDispute(service.app, CUSTOMER, { merchantId, chargeId: paid, report })
  await owner.send(await owner.get(`${TEST}/charges/${paid}`), '/refund')
  await owner.send(await owner.get(`${TEST}/charges?status=failed`), '/views/charges/save', {
    name: 'Lost today',
  })
  await deliverAll(service)
  await service.run('tally-days')
  const open = await charge({ amount: 9000, customer: { phone: '0700000003', email: 'ann@buyer.example' } })
  return { merchant, owner, paid, failed, open }
}

/** The operator has not answered payouts for a minute. */
async function silentOperator() {
  const { app, clock } = service
  const troubles = railTroubles({ directory: app.directory, clock, log: app.log })
  const alarm = {
    installation: 'ug-1',
    side: 'disburse',
    kind: 'breaker',
    says: 'it does not answer',
  } as const
  troubles.raise(alarm)
  service.pass(60_000)
  troubles.raise(alarm)
  await troubles.close()
}

test(
  'axe finds nothing on Home, charges, search and their states, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { owner, paid, failed, open } = await busyShop()
    await silentOperator()
    const found = await walkWithAxe(service, owner, {
      home: TEST,
      'home-live': '/dashboard',
      charges: `${TEST}/charges`,
      'charges-saved': `${TEST}/charges?status=failed`,
      'charges-filtered': `${TEST}/charges?status=succeeded&from=2020-01-01`,
      'charges-none': `${TEST}/charges?reference=nothing`,
      'charges-live': '/dashboard/charges',
      'charge-refunded': `${TEST}/charges/${paid}`,
      'charge-failed': `${TEST}/charges/${failed}`,
      'charge-under-way': `${TEST}/charges/${open}`,
      search: `${TEST}/search`,
      'search-many': `${TEST}/search?q=256700000000`,
      'search-nothing': `${TEST}/search?q=${'x'.repeat(60)}`,
      payouts: `${TEST}/payouts`,
    })
    assert.deepEqual(found, [])
  },
)
