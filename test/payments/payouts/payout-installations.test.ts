import assert from 'node:assert/strict'
import test from 'node:test'
import { startOperator } from '../../fakes/operator.ts'
import { lookOnce, settle } from '../../helpers/payments/following-payouts.ts'
import { attemptOf } from '../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS } from '../../helpers/payments/payout-money.ts'
import { pay, payoutOf, queueBulk, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { FIRST_INSTALLATION, SECOND_CONTRACT } from '../../helpers/service/http-rail.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified, prepare } from '../../helpers/service/opened.ts'

// Two contracts with the operator: staff activate the second while the first still has payouts in doubt.
const FUNDS = 500_000
const SECOND = SECOND_CONTRACT
const ENDING = 'a contract that ends'
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startOperator({ pays: 'when told' }))
prepare(async () => {
  service.rail.addInstallation(SECOND, second.url)
})

type Stored = { installation: string; sent: boolean }
async function storedOf(payoutId: string): Promise<Stored | undefined> {
  const [row] = await service.rows<Stored>(
    'select installation, first_sent_at is not null as sent from rail_attempts where subject = $1',
    [payoutId],
  )
  return row
}

const postsOf = (payoutId: string) =>
  service.rail.submitted.filter(({ publicId }) => publicId === payoutId).map((attempt) => attempt.installation)

/** How often the second contract's operator, which has never seen the payout, was asked about it or posted it. */
const atSecond = ({ rail_reference }: { rail_reference: string }) =>
  second.journal.filter(({ reference }) => reference === rail_reference).length

async function untilPosted(payoutId: string, times: number): Promise<void> {
  for (let look = 0; look < 60 && postsOf(payoutId).length < times; look += 1) await lookOnce(service, payoutId)
  assert.equal(postsOf(payoutId).length, times)
}

for (const kind of ['single', 'bulk'] as const)
  test(`M1: a ${kind} payout in doubt is asked about and posted again where it was posted first`, async () => {
    const shop = await richShop(service, FUNDS)
    const phone = newPayer()
    service.operator.onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : { answer: 'accept' }), phone)
    let id: string
    if (kind === 'single') id = (await pay(shop.live, { recipient: { phone } })).body.id
    else {
      ;[id = ''] = await queueBulk(shop, [phone])
      await service.run('send-payouts')
    }
    const body = await payoutOf(shop.live, id)
    assert.deepEqual([body.status, body.failure_reason], ['authorized', AMBIGUOUS])
    service.rail.activate(SECOND)
    try {
      await untilPosted(id, 2)
      assert.deepEqual(postsOf(id), [FIRST_INSTALLATION, FIRST_INSTALLATION])
      assert.equal(atSecond(body), 0, 'the other platform would have taken it for a new payment')
      assert.deepEqual(await storedOf(id), { installation: FIRST_INSTALLATION, sent: true })
      await settle(service, id)
      assert.equal((await payoutOf(shop.live, id)).status, 'succeeded')
    } finally {
      service.rail.activate(FIRST_INSTALLATION)
    }
  })

test('M1: a payout that provably was never sent may go to the contract that is active now', async () => {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'bar the account' }, phone)
  const [id = ''] = await queueBulk(shop, [phone])
  assert.deepEqual(await storedOf(id), { installation: '', sent: false })
  await service.run('send-payouts')
  assert.equal(await attemptOf(service, id), 'not_sent')
  assert.deepEqual(await storedOf(id), { installation: FIRST_INSTALLATION, sent: false })
  service.rail.activate(SECOND)
  try {
    await lookOnce(service, id)
    assert.deepEqual(postsOf(id), [FIRST_INSTALLATION, SECOND])
    assert.deepEqual(await storedOf(id), { installation: SECOND, sent: true })
    second.pays(id)
    await settle(service, id)
    assert.equal((await payoutOf(shop.live, id)).status, 'succeeded')
  } finally {
    service.rail.activate(FIRST_INSTALLATION)
  }
})

test('M1: a payout that is to be posted again waits while its contract is not configured', async () => {
  service.rail.addInstallation(ENDING, service.operator.url)
  service.rail.activate(ENDING)
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'error', takes: false }, phone)
  const { body } = await pay(shop.live, { recipient: { phone } })
  for (let look = 0; look < 60 && (await attemptOf(service, body.id)) !== 'not_sent'; look += 1)
    await lookOnce(service, body.id)
  assert.equal(await attemptOf(service, body.id), 'not_sent')
  service.rail.activate(SECOND)
  service.rail.removeInstallation(ENDING)
  try {
    for (let look = 0; look < 10; look += 1) await lookOnce(service, body.id)
    assert.deepEqual(postsOf(body.id), [ENDING])
    assert.equal(atSecond(body), 0)
    assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized')
    service.rail.addInstallation(ENDING, service.operator.url)
    service.operator.onSubmit({ answer: 'accept' }, phone)
    await untilPosted(body.id, 2)
    await settle(service, body.id)
    assert.deepEqual(postsOf(body.id), [ENDING, ENDING])
  } finally {
    service.rail.activate(FIRST_INSTALLATION)
  }
})

test('M1: the database refuses to move an attempt that may have been sent to another contract, or to forget that it was sent', async () => {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'error', takes: false }, phone)
  const { body } = await pay(shop.live, { recipient: { phone } })
  for (const change of [`installation = '${SECOND}'`, 'first_sent_at = null', `first_sent_at = '2020-01-01'`])
    await assert.rejects(service.rows(`update rail_attempts set ${change} where subject = $1`, [body.id]), {
      constraint: 'attempt_keeps_its_installation',
    })
})
