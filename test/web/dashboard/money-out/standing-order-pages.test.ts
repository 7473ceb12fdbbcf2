import assert from 'node:assert/strict'
import test from 'node:test'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { hasForm } from '../../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const HOUR = 3_600_000
const PATH = '/dashboard/wallet/withdrawals'
const FORM = `${PATH}/standing-order`
const ORDERS = '/console/standing-orders'
const TERMS = { when: 'above', clock: '20', keep: '100,000', least: '5,000', limit: 'UGX 300,000' }
const service = openedAndVerified(() => startPayingService())

test('an owner orders on the page, staff approve with a limit, and the page says what it does and when next', async () => {
  const { merchant } = await orderingShop(service)
  const owner = await signedInAs(service, merchant)
  assert.match(mainOf(await owner.get(PATH)), /Send by itself.*Set it up/)
  const sent = await owner.send(await owner.get(FORM), '/standing-order/set', TERMS)
  assert.match(
    mainOf(await owner.follow(sent)),
    /Send by itself waiting for our approval It waits for our staff.*Keeps back UGX 100,000.*At most a day UGX 300,000.*Change it/,
  )
  const finance = await operatorSignedIn(service, 'finance')
  const list = await finance.get(ORDERS)
  assert.match(
    mainOf(list),
    /looked at every hour new Keeps back UGX 100,000, sends from UGX 5,000, at most UGX 300,000 a day/,
  )
  assert.match(mainOf(await finance.get('/console')), /Standing orders 1/)
  const over = await finance.send(list, '/approve', { limit: '300,001' })
  assert.equal(over.status, 400)
  assert.match(mainOf(over), /the limit is between 1 and the/)
  const approved = await finance.send(over, '/approve', { limit: '250,000' })
  assert.match(mainOf(await finance.follow(approved)), /No standing order waits/)
  assert.match(mainOf(await finance.get(`${ORDERS}?list=running`)), /Approved up to UGX 250,000 a day/)
  assert.match(
    mainOf(await owner.get(PATH)),
    /Send by itself runs.*Runs next.*Approved a day UGX 250,000.*above the approved amount waits/,
  )
  await runAfter(service, HOUR)
  // Their sessions have ended meanwhile.
  const again = await signedInAs(service, merchant)
  const later = await operatorSignedIn(service, 'finance')
  const asked = mainOf(await again.get(PATH))
  assert.match(asked, /Last time .* above the limit: waits for our staff/)
  assert.match(asked, /0772 000 111 by itself UGX/, 'the list marks it')
  assert.match(mainOf(await later.get('/console/withdrawals')), /above the limit of its standing order/)
  await runAfter(service, HOUR)
  assert.match(
    mainOf(await (await signedInAs(service, merchant)).get(PATH)),
    /stands still It stands still: the last withdrawal of this order waits for our staff/,
  )
  const home = await (await signedInAs(service, merchant)).get('/dashboard')
  assert.match(mainOf(home), /Your standing order stands still: the last withdrawal of this order waits/)
  const support = await operatorSignedIn(service, 'support')
  assert.match(mainOf(await support.get(`${ORDERS}?list=running`)), /stands still/)
})

test('staff refuse with a sentence that the owner reads, and stop one that runs; the owner stops and begins anew', async () => {
  const shop = await orderingShop(service)
  const owner = await signedInAs(service, shop.merchant)
  await shop.set({})
  const finance = await operatorSignedIn(service, 'finance')
  const refused = await finance.send(await finance.get(ORDERS), '/refuse', { note: 'Call us first' })
  assert.equal(refused.status, 303)
  assert.match(mainOf(await owner.get(PATH)), /not approved Our staff did not approve it.*Call us first/)
  await owner.send(await owner.get(FORM), '/standing-order/set', TERMS)
  await shop.approve()
  const running = await finance.get(`${ORDERS}?list=running`)
  const { id } = await shop.find()
  assert.equal((await finance.send(running, `${id}/stop`, { note: 'Asked by phone' })).status, 303)
  assert.match(mainOf(await owner.get(PATH)), /It was stopped\. Asked by phone Set it up/)
  await owner.send(await owner.get(FORM), '/standing-order/set', TERMS)
  const stopped = await owner.follow(await owner.send(await owner.get(PATH), '/stop'))
  assert.match(mainOf(stopped), /Stopped\. Nothing is sent by itself any more\..*Set it up/)
})

test('a fault stands beside its field, other roles see the order without its forms, and test mode has none', async () => {
  const shop = await orderingShop(service)
  const owner = await signedInAs(service, shop.merchant)
  const page = await owner.get(FORM)
  const low = await owner.send(page, '/standing-order/set', { ...TERMS, least: '4,999' })
  assert.equal(low.status, 400)
  assert.match(low.text, /id="[^"]*set-least-fault"[^>]*>[^<]*below the withdrawal minimum/)
  const small = await owner.send(page, '/standing-order/set', { ...TERMS, limit: '4,999' })
  assert.match(small.text, /id="[^"]*set-limit-fault"[^>]*>[^<]*below the least/)
  for (const wrong of [{ when: 'weekly 7' }, { clock: '24' }, { keep: '-1' }, { limit: '' }])
    assert.equal((await owner.send(page, '/standing-order/set', { ...TERMS, ...wrong })).status, 400)
  await shop.set({})
  const accountant = await signedInAs(service, shop.merchant, { role: 'accountant' })
  const seen = await accountant.get(PATH)
  assert.match(mainOf(seen), /Send by itself waiting for our approval/)
  assert.ok(!hasForm(seen, '/stop') && !seen.text.includes(FORM))
  assert.equal((await accountant.get(FORM)).status, 403)
  assert.match(
    mainOf(await owner.get('/dashboard/test/wallet/withdrawals/standing-order')),
    /Test money cannot be withdrawn/,
  )
  const stranger = await signedInAs(service, (await orderingShop(service)).merchant)
  assert.match(mainOf(await stranger.get(PATH)), /Set it up/)
  const { id } = await shop.find()
  const csrf = (await stranger.get(PATH)).forms.find(({ method }) => method === 'post')?.fields.csrf ?? ''
  assert.equal((await stranger.post(`${FORM}/${id}/stop`, { csrf })).status, 404)
})
