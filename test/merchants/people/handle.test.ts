import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'

const BUSINESS = '/dashboard/settings/business'
const YEAR = 365 * 86_400_000
const service = openedAndVerified(() => startService())
const guest = browserOf(service)

const change = async (owner: Planted, handle: string) => owner.send(await owner.get(BUSINESS), '/handle', { handle })

test('an owner gives the business another handle: the old address leads to the new one, and nobody else gets it', async () => {
  const shop = await service.merchant({ handle: 'old-name', verified: true })
  const owner = await signedInAs(service, shop)
  const other = await signedInAs(service, await service.merchant({ handle: 'elsewhere' }))
  const changed = await change(owner, ' New-Name ')
  assert.match(mainOf(await owner.follow(changed)), /Your public page is at \/pay\/@new-name now/)
  const moved = await guest.get('/pay/@old-name')
  assert.equal(moved.location, '/pay/@new-name')
  assert.equal((await guest.get('/pay/@new-name')).status, 200)
  assert.equal((await guest.get('/pay/@old-name/qr.svg')).status, 200)
  assert.equal((await service.client(shop.keys.test).get('/v1/me')).body.handle, 'new-name')
  for (const taken of ['old-name', 'new-name']) {
    const reply = await change(other, taken)
    assert.equal(reply.status, 400)
    assert.match(mainOf(reply), new RegExp(`the handle ${taken} is taken`))
    await assert.rejects(service.merchant({ handle: taken }), { code: 'handle_taken' })
  }
  const reserved = await change(other, 'mtn-elsewhere')
  assert.match(mainOf(reserved), /no reserved word and have none in it/)
  assert.equal((await guest.get('/pay/@elsewhere')).status, 200)
  const acts = await service.rows(
    `select before, after from directory.audit where action = 'merchant.handle' and merchant_id = $1`,
    [owner.merchantId],
  )
  assert.deepEqual(acts, [{ before: { handle: 'old-name' }, after: { handle: 'new-name' } }])
})

test('a handle may be taken back, and changes a few times a year', async () => {
  const shop = await service.merchant({ handle: 'first-name', verified: true })
  const owner = await signedInAs(service, shop)
  for (const handle of ['second-name', 'first-name', 'third-name'])
    assert.equal((await change(owner, handle)).status, 303, handle)
  const fourth = await change(owner, 'fourth-name')
  assert.equal(fourth.status, 303, 'one that it had before is the same address again')
  const fifth = await change(owner, 'fifth-name')
  assert.equal(fifth.status, 400)
  assert.match(mainOf(fifth), /changed 3 times within a year/)
  for (const old of ['first-name', 'second-name', 'third-name'])
    assert.equal((await guest.get(`/pay/@${old}`)).location, '/pay/@fourth-name', old)
  service.pass(YEAR)
  const later = await signedInAs(service, shop)
  assert.equal((await change(later, 'fifth-name')).status, 303)
})

test('of two businesses that want one handle at once one has it, in both places', async () => {
  const owners = await Promise.all(
    ['one-of-two', 'two-of-two'].map(async (handle) => signedInAs(service, await service.merchant({ handle }))),
  )
  const states = (await Promise.all(owners.map((owner) => change(owner, 'wanted-name')))).map(({ status }) => status)
  assert.deepEqual(states.sort(), [303, 400])
  const apart = await service.rows(
    `select d.handle from (select * from directory.merchants offset 0) d join cell_0.merchants c on c.id = d.id
     where c.handle <> d.handle`,
  )
  assert.deepEqual(apart, [])
})
