import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mainOf, signedInAs, tillOf } from '../../helpers/web/dashboard.ts'
import { DEVICE, pushWorld } from './world.ts'

const { pushes, live, hearing, paid, heard, tell, switchOn, rowsOf } = pushWorld()

test('a device that would make us call inside is refused as a webhook is, and so is what is none', async () => {
  const { merchant } = await live.shop()
  const owner = await signedInAs(live, merchant)
  const { fields } = pushes.subscribe()
  const page = await owner.get(DEVICE)
  for (const [typed, says] of [
    [{ endpoint: 'https://10.0.0.7/push' }, /not reachable from the public internet/],
    [{ endpoint: 'https://169.254.169.254/latest' }, /not reachable from the public internet/],
    [{ endpoint: 'http://push.example.com/x' }, /not reachable from the public internet/],
    [{ endpoint: 'https://localhost/push' }, /not reachable from the public internet/],
    [{ endpoint: 'javascript:alert(1)' }, /not reachable from the public internet/],
    [{ endpoint: '' }, /reload the page/],
    [{ p256dh: 'x' }, /reload the page/],
    [{ p256dh: Buffer.alloc(65, 4).toString('base64url') }, /reload the page/],
    [{ auth: '' }, /reload the page/],
    [{ payments: '' }, /choose at least one thing/],
    [{ endpoint: `https://push.example.com/${'x'.repeat(3000)}` }, /not reachable from the public internet/],
  ] as const) {
    const reply = await owner.send(page, '/add', { payments: 'yes', ...fields, ...typed })
    assert.equal(reply.status, 400, JSON.stringify(typed).slice(0, 80))
    assert.match(mainOf(reply), says)
  }
  assert.deepEqual(await rowsOf(owner), [])
  const inTest = await owner.post(`${DEVICE.replace('/dashboard', '/dashboard/test')}/add`, {
    ...(page.forms.find(({ action }) => action.includes('/add'))?.fields ?? {}),
    ...fields,
    payments: 'yes',
  })
  assert.equal(inTest.status, 400)
  assert.match(mainOf(inTest), /change to live mode first/)
})

test('payments of another business are not shown, and nobody removes a device of others but an owner', async () => {
  const ours = await hearing()
  const theirs = await hearing()
  await paid(theirs.live, 5000)
  assert.deepEqual(await heard(ours.device), [])
  assert.equal((await heard(theirs.device)).length, 1)
  const [device] = await rowsOf(ours.browser)
  const cashier = await signedInAs(live, ours.merchant, { role: 'cashier' })
  const own = await switchOn(cashier)
  for (const stranger of [theirs.browser, cashier]) {
    const page = await stranger.get(DEVICE)
    assert.doesNotMatch(page.text, new RegExp(device?.id ?? ''))
    const csrf = page.forms.find(({ fields }) => fields.csrf !== undefined)?.fields.csrf ?? ''
    assert.equal((await stranger.post(`${DEVICE}/${device?.id}/stop`, { csrf })).status, 404)
  }
  const [ofCashier] = await rowsOf(cashier)
  const page = await ours.browser.get(DEVICE)
  assert.match(mainOf(page), /Test cashier/)
  const removed = await ours.browser.send(page, `/${ofCashier?.id}/stop`)
  assert.match(mainOf(await ours.browser.follow(removed)), /shows nothing more/)
  await paid(ours.live, 5000)
  assert.deepEqual(await heard(own), [])
  assert.equal((await heard(ours.device)).length, 1)
})

test('every role and a till switch on their own device, and hear nothing once they have left', async () => {
  const { merchant, live: client } = await live.shop()
  for (const role of ['owner', 'developer', 'cashier', 'accountant', 'viewer'] as const) {
    const browser = await signedInAs(live, merchant, { role })
    const device = await switchOn(browser)
    live.pass(1000)
    await paid(client, 5000)
    assert.equal((await heard(device)).length, 1, role)
    if (role === 'owner') continue
    await live.rows('delete from memberships where person_id = $1', [browser.personId])
    await paid(client, 5000)
    assert.equal((await heard(device)).length, 1, role)
    assert.deepEqual(await rowsOf(browser), [])
  }
  const till = await tillOf(live, merchant)
  const device = await switchOn(till)
  live.pass(1000)
  await paid(client, 5000)
  assert.equal((await heard(device)).length, 1)
  await live.rows('delete from sessions where id = $1', [till.sessionId])
  await paid(client, 5000)
  assert.equal((await heard(device)).length, 1)
  assert.deepEqual(await rowsOf(till), [])
})

test('a browser that is switched on again is one device, somebody else takes it over, and eleven are too many', async () => {
  const { merchant } = await live.shop()
  const owner = await signedInAs(live, merchant)
  const { fields } = pushes.subscribe()
  for (let nth = 0; nth < 2; nth += 1) {
    const sent = await owner.send(await owner.get(DEVICE), '/add', { payments: 'yes', ...fields })
    assert.equal(sent.status, 303)
  }
  assert.equal((await rowsOf(owner)).length, 1)
  const cashier = await signedInAs(live, merchant, { role: 'cashier' })
  await cashier.send(await cashier.get(DEVICE), '/add', { payments: 'yes', ...fields })
  assert.deepEqual([(await rowsOf(owner)).length, (await rowsOf(cashier)).length], [0, 1])
  for (let nth = 0; nth < 10; nth += 1) await switchOn(owner)
  const many = await owner.send(await owner.get(DEVICE), '/add', { payments: 'yes', ...pushes.subscribe().fields })
  assert.match(mainOf(many), /at most 10 devices of one person/)
  await tell()
})
