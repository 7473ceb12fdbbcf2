import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDemoMerchant } from '../../../src/program/commands/demo.ts'
import { assertRefused } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

const PASSWORD = 'four words of mine'
const service = openedAndVerified(() => startService())
const { json, run } = commandsOn(service)

test('the first start makes a sign-in for the demo merchant, which works, and says it once', async () => {
  const lines = await makeDemoMerchant(service.gateway, service.url)
  assert.match(lines.join('\n'), /signed with a secret: on the dashboard .* webhooks rotate-secret demo/s)
  const told = lines.find((line) => line.startsWith('Dashboard: '))
  const [, address, email = '', password = ''] =
    /^Dashboard: (\S+)\/dashboard {2}\(sign in as (\S+) with (\S+)\)$/.exec(told ?? '') ?? []
  assert.equal(address, service.url)
  const browser = browserOf(service)
  const reply = await browser.post('/dashboard/sign-in', { email, password })
  assert.equal(reply.location, '/dashboard/test', 'a business that is not verified begins in test mode')
  assert.equal((await browser.get('/dashboard/sign-in')).location, '/dashboard/test')
  assert.match((await browser.get('/dashboard/test')).text, /Demo Shop/)
  assert.deepEqual(await makeDemoMerchant(service.gateway, service.url), [])
})

test('people add gives a link that lets one person in, and people list says who works there', async () => {
  const shop = await service.merchant()
  const { link } = await json(
    'people',
    'add',
    shop.handle,
    '--email',
    'own@shop.invalid',
    '--role',
    'owner',
    '--key',
    'k1',
  )
  assert.deepEqual(
    await json('people', 'add', shop.handle, '--email', 'own@shop.invalid', '--role', 'owner', '--key', 'k1'),
    { link },
  )
  const path = link.slice(new URL(link).origin.length)
  const browser = browserOf(service)
  const joined = await browser.send(await browser.get(path), '/join', { password: PASSWORD, name: 'Aisha' })
  assert.equal(joined.location, '/dashboard/test')
  assert.equal((await browser.get('/dashboard')).status, 200)
  assert.equal((await browserOf(service).get(path)).status, 410)
  const [person, ...others] = await json('people', 'list', shop.handle)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [person.name, person.email, person.role, person.confirmed, person.second_factor],
    ['Aisha', 'own@shop.invalid', 'owner', true, false],
  )
})

test('people add refuses a role that there is not, and an address that is none', async () => {
  const shop = await service.merchant()
  assertRefused(await run('people', 'add', shop.handle, '--email', 'a@b.invalid', '--role', 'king'), {
    code: 2,
    says: /--role must be one of owner, developer, cashier, accountant, viewer/,
  })
  assertRefused(await run('people', 'add', shop.handle, '--email', 'nobody', '--role', 'viewer'), {
    code: 1,
    says: /email is not a valid email address/,
  })
})

test('a cashier refunds up to the limit of the owner, and an owner any charge', async () => {
  const shop = await service.merchant()
  const client = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  await owner.send(await owner.get('/dashboard/test'), '/funds', { amount: '100000' })
  const paid = async (amount: number) => {
    const { body } = await client.charge({ ...CHARGE, amount })
    service.pass(3000)
    await service.run('follow-charges')
    return `/dashboard/test/charges/${body.id}`
  }
  const refund = async (by: typeof owner, charge: string) => by.send(await by.get(charge), '/refund', {})
  const [small, large] = [await paid(5000), await paid(5001)]
  const none = await refund(cashier, small)
  assert.equal(none.status, 403)
  assert.match(none.text, /the owner has not allowed cashiers to refund/)
  await owner.send(await owner.get('/dashboard/settings/people'), '/refund-limit', { limit: '5000' })
  const over = await refund(cashier, large)
  assert.match(over.text, /cashiers may refund up to 5,000 UGX here/)
  assert.equal((await refund(cashier, small)).status, 303)
  assert.equal((await refund(owner, large)).status, 303)
})
