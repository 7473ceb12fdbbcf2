import assert from 'node:assert/strict'
import test from 'node:test'
import { Gateway, verifyWebhook } from '../../clients/typescript/src/gateway-client.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { browserOf } from '../helpers/web/browser.ts'
import { openedCli } from './cli-program.ts'

const receiver = opened(() => startReceiver())
// With its background work, because a payment ends and an event gets its number there.
const service = openedAndVerified(() => startService({ role: 'all' }))
const cli = openedCli()

/** Opens an account as a stranger does, and returns the test key of its first page. */
async function signUp(): Promise<string> {
  const browser = browserOf(service)
  const form = { business: 'Journey Shop', email: 'journey@shop.invalid', password: 'seven quiet herons' }
  const made = await browser.post('/dashboard/sign-up', form)
  assert.equal(made.status, 303, made.text)
  const home = await browser.follow(made)
  return /sk_test_[A-Za-z0-9_]+/.exec(home.text)?.[0] ?? assert.fail(home.text)
}

test('from a sign-up to a key, a payment, its webhook on the own machine, a refund and the comparison with the orders', async () => {
  const apiKey = await signUp()
  const gateway = new Gateway({ apiKey, baseUrl: service.url })
  const user = cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: apiKey })
  const secret = (await user.run('listen --print-secret')).stdout.trim()
  const listen = user.start(`listen --forward ${receiver.url}`)
  await listen.says(/Events behind number 0/)

  const charge = await gateway.charges.create({
    amount: 20_000,
    channel: 'op1_momo',
    customer: { phone: '0700000000' },
    reference: 'order-1',
  })
  const paid = await gateway.charges.waitFor(charge)
  assert.equal(paid.status, 'succeeded')
  await eventually('the webhook has come', () => receiver.received.length === 1)
  const [told = assert.fail()] = receiver.received
  const event = await verifyWebhook(told.body, told.headers as Record<string, string>, { secret })
  assert.ok(event.event === 'charge.succeeded')
  assert.equal(event.data.id, charge.id)

  const orders = user.file('orders.csv', 'reference,amount\norder-1,20000\n')
  assert.equal((await user.run(`reconcile ${orders}`)).code, 0)
  // The fee of the payment is missing.
  await gateway.test.addFunds({ amount: 1000 })
  await gateway.charges.refund(charge.id)
  await eventually('the refund was told', () => receiver.received.some((one) => one.event.event === 'charge.refunded'))
  const { differences } = await user.json(`reconcile ${orders}`)
  assert.deepEqual(
    differences.map(({ kind, charge: id }: any) => [kind, id]),
    [['refunded', charge.id]],
  )
  const ended = await listen.interrupt()
  // On a slow machine the payout of the refund has ended too.
  assert.match(ended.stderr, /([23]) events, of which \1 were taken\. Go on with --from \1/)
})
