import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform, readFreezes } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { withdrawApproval } from '../../../src/operations/approvals/end-approval.ts'
import { askUnfreezeMerchant } from '../../../src/operations/approvals/unfreeze.ts'
import { approved, FUNDS, idIn, pair } from '../../helpers/payments/approving.ts'
import { pay, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND, operator } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

// Live payouts are stopped by one operator, and run again by two.
const service = openedAndVerified(() => startPayingService())

test('one operator freezes the platform, and a second one is needed to let payouts run again', async () => {
  const [anna] = await pair(service)
  const support = await operatorSignedIn(service, 'support')
  const [risk, admin] = [await operatorSignedIn(service, 'risk'), await operatorSignedIn(service, 'admin')]
  const { live } = await richShop(service, FUNDS)
  const froze = await support.send(await support.get('/console/freeze'), '/freeze', {
    reason: 'fraud at a partner',
  })
  assert.equal(froze.status, 303, mainOf(froze))
  assert.deepEqual(await readFreezes(service.app), {
    directory: 'fraud at a partner',
    cell: 'fraud at a partner',
  })
  assert.match((await pay(live)).text, /payouts are temporarily paused platform-wide/)
  const shown = mainOf(await anna.get('/console/freeze'))
  assert.match(shown, new RegExp(`fraud at a partner.*${support.email}`))
  await assert.rejects(freezePlatform(service.gateway, operator('admin', 1), null), { status: 403 })
  assert.equal(hasForm(await anna.get('/console/freeze'), '/freeze/ask'), false, 'finance may not')
  const asked = await risk.send(await risk.get('/console/freeze'), '/freeze/ask', { reason: 'cleared' })
  assert.equal(asked.status, 303, mainOf(asked))
  assert.match(mainOf(await admin.get('/console/freeze')), new RegExp(idIn(asked.location)))
  assert.equal((await approved(admin, asked.location)).status, 303)
  assert.deepEqual(await readFreezes(service.app), { directory: null, cell: null })
  assert.equal((await pay(live)).status, 201)
})

test('a freeze that began after the asking is not lifted by it', async () => {
  const [, admin] = await pair(service)
  const { merchant: shop, live } = await richShop(service, FUNDS)
  const { app, merchant } = await getMerchantNamed(service.gateway, shop.id)
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'first' })
  const asked = await askUnfreezeMerchant(app, operator('risk', 70_001), { merchant, reason: 'cleared' })
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'second' })
  const path = `/console/approvals/${asked.id}`
  const refused = await approved(admin, path)
  assert.match(mainOf(refused), /were frozen again, or for another reason/)
  assert.equal((await pay(live)).status, 400)
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'first' })
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: null })
  service.clock.advance(1_000)
  await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'first' })
  assert.match(mainOf(await approved(admin, path)), /were frozen again/, 'the same words, at a later time')
  const risk = operator('risk', 70_001)
  await withdrawApproval(service.gateway, risk, { id: asked.id, note: null })
  const again = await askUnfreezeMerchant(app, risk, { merchant, reason: 'cleared' })
  assert.equal((await approved(admin, `/console/approvals/${again.id}`)).status, 303)
  assert.equal((await pay(live)).status, 201)
  await assert.rejects(freezeAccount(app, operator('admin', 1), { merchantId: merchant.id, reason: null }), {
    status: 403,
    code: 'second_person_required',
  })
})
