import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { pay, sandboxDecides, visitor } from '../../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const customer = visitor(service)
const BASE = '/dashboard/test'

test('an owner switches vending on, sets a supplier whose secrets are never shown, and makes a dispense secret', async () => {
  const owner = await signedInAs(service, shop)
  const settings = `${BASE}/vending/settings`
  assert.match(mainOf(await owner.get(settings)), /Vending is off/)
  const on = await owner.follow(await owner.send(await owner.get(settings), '/settings/switch'))
  assert.match(mainOf(on), /Vending is on\./)
  const supplier = {
    base_url: 'https://1.1.1.1/api',
    shbh: '7',
    key: 'KEY-IS-SECRET',
    secret: 'SECRET-IS-SECRET',
  }
  const set = await owner.follow(await owner.send(on, '/settings/supplier', supplier))
  assert.match(mainOf(set), /Commands go to https:\/\/1\.1\.1\.1\/api, under the number 7/)
  assert.doesNotMatch(set.text, /IS-SECRET/)
  const inside = await owner.send(set, '/settings/supplier', {
    ...supplier,
    base_url: 'http://127.0.0.1/api',
  })
  assert.equal(inside.status, 400)
  assert.match(mainOf(inside), /this address is not reachable from the public internet/)
  assert.doesNotMatch(inside.text, /IS-SECRET/)
  const secret = await owner.send(set, '/settings/secret')
  assert.match(mainOf(secret), /dsec_[a-z0-9]{40}/)
  assert.doesNotMatch((await owner.get(settings)).text, /dsec_/)
  const saved = await owner.follow(await owner.send(set, '/settings/profile', { profile: 'default', accept: '' }))
  assert.match(mainOf(saved), /The settings were saved/)
  assert.match(
    mainOf(await owner.follow(await owner.send(set, '/settings/jams', { jams: 'test' }))),
    /The choice was saved/,
  )
})

test('a developer adds a machine, makes a test order, and a person says what happened to a silent one', async () => {
  await service.set(shop, { vendingEnabled: true })
  const developer = await signedInAs(service, shop, { role: 'developer' })
  await developer.send(await developer.get(`${BASE}/vending/add`), '/vending/add', {
    machine: '1707-A',
    name: 'Lobby',
  })
  assert.match(mainOf(await developer.get(`${BASE}/vending/machines/1707-A`)), /Lobby registered/)
  const page = await developer.get(`${BASE}/orders/new?machine=1707-A`)
  const sent = await developer.send(page, '/orders/new', { amount: '2,000', product: 'Water' })
  const order = await developer.follow(sent)
  assert.match(mainOf(order), /UGX 2,000 .*Water/)
  const id = sent.location.split('/').at(-1) ?? ''
  await pay(customer, id, { phone: '0700000000' })
  await sandboxDecides(service)
  await service.run('dispense')
  const waiting = await developer.get(`${BASE}/orders/${id}`)
  assert.match(mainOf(waiting), /dispensing/)
  assert.match((await developer.get(`${BASE}/orders?state=waiting`)).text, new RegExp(id))
  assert.doesNotMatch(waiting.text, /\/delivered[#"]/, 'a developer does not decide')
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const decided = await cashier.send(await cashier.get(`${BASE}/orders/${id}`), '/delivered')
  assert.match(mainOf(await cashier.follow(decided)), /Your decision was kept\. .*dispensed/)
  assert.equal((await cashier.get(`${BASE}/search?q=${id}`)).location, `${BASE}/orders/${id}`)
  const charge = /\/charges\/(txn_[a-z0-9]+)"/.exec(waiting.text)?.[1] ?? ''
  const paid = await cashier.get(`${BASE}/charges/${charge}`)
  assert.match(mainOf(paid), new RegExp(`Vending order ${id}`))
  assert.ok(paid.text.includes(`href="${BASE}/orders/${id}"`), 'the charge leads to the order it paid for')
  assert.equal((await cashier.get(`${BASE}/links/${id}`)).location, `${BASE}/orders/${id}`)
  assert.equal((await cashier.get(`/dashboard/links/${id}`)).status, 404, 'not in the other mode')
})

test('orders page both ways, and those of others are not there', async () => {
  const own = await service.merchant()
  await service.set(own, { vendingEnabled: true })
  const owner = await signedInAs(service, own)
  await owner.send(await owner.get(`${BASE}/vending/add`), '/vending/add', { machine: 'M1', name: '' })
  const client = service.client(own.keys.test)
  for (let nth = 0; nth < 30; nth += 1) {
    const goods = [{ spbh: '1', spmc: `Product ${nth}` }]
    assert.equal((await client.post('/v1/vending/orders', { machine: 'M1', amount: 1000, goods })).status, 201)
    service.pass(1000)
  }
  const ids = (text: string) => [...text.matchAll(/orders\/(lnk_[a-z0-9]+)"/g)].map(([, id]) => id)
  const first = await owner.get(`${BASE}/orders`)
  const older = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await owner.get(older)
  assert.deepEqual([ids(first.text).length, ids(second.text).length], [25, 5])
  const newer = /href="([^"]+)" rel="prev"/.exec(second.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.deepEqual(ids((await owner.get(newer)).text), ids(first.text))
  const stranger = await signedInAs(service, shop)
  assert.equal((await stranger.get(`${BASE}/orders/${ids(first.text)[0]}`)).status, 404)
  assert.equal((await owner.get(`/dashboard/orders/${ids(first.text)[0]}`)).status, 404)
  assert.equal((await stranger.get(`${BASE}/vending/machines/M1`)).status, 404)
})
