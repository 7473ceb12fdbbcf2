import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { pay, queueBulk, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { FIRST_INSTALLATION } from '../../helpers/service/http-rail.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { told } from '../../helpers/vending/machine-words.ts'
import { paidOrder } from '../../helpers/vending/paid-orders.ts'
import { commandsOn } from './commands-on.ts'

// The commands use the clock of this machine, so the service runs half a day behind it.
const HALF_A_DAY_MS = 12 * 3_600_000
const clock = movableClock()
clock.advance(-HALF_A_DAY_MS)
const service = openedAndVerified(() => startPayingService({ clock }))
const { run, json } = commandsOn(service)
const shop = made(() => richShop(service))

const stuck = async (): Promise<any[]> => {
  const { stuck, ...rest } = await json('stuck')
  assert.deepEqual(rest, {})
  return stuck
}
const about = async (kind: string, id: string) => {
  const found = (await stuck()).filter((one) => one.kind === kind && one.id === id)
  assert.equal(found.length, 1, `${kind} ${id}: ${JSON.stringify(await stuck())}`)
  return found[0]
}

test('D12: nothing is stuck where all has ended', async () => {
  assert.deepEqual(await stuck(), [])
  assert.equal((await run('stuck')).stdout, 'nothing is stuck\n')
})

test('D12, M3: a charge that the operator never heard of is listed after its window, with what was heard', async () => {
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'error', takes: false }, phone)
  const { body } = await shop.live.charge({ customer: { phone } })
  for (let look = 0; look < 12; look += 1) {
    const [row] = await service.rows<{ follow_at: Date }>('select follow_at from charges where id = $1', [body.id])
    passUntil(service, row?.follow_at as Date)
    await service.run('follow-charges')
  }
  // The answer it has is older than a minute and the next question is not overdue, so it is listed for its own state.
  const soon = new Date(Date.now() + 60_000)
  await service.rows('update charges set follow_at = $2 where id = $1', [body.id, soon])
  const found = await about('charge', body.id)
  assert.deepEqual(
    { ...found, evidence: found.evidence.length, since: null, age_seconds: null },
    {
      kind: 'charge',
      id: body.id,
      merchant: shop.merchant.id,
      mode: 'live',
      status: 'authorized',
      amount: 5000,
      since: null,
      age_seconds: null,
      why: 'the operator does not know it, and its time to be posted again is over',
      next_check_at: soon.toISOString(),
      rail_reference: body.rail_reference,
      state: 'in_doubt',
      evidence: 5,
    },
  )
  assert.equal(found.since, body.created_at)
  const [newest] = found.evidence
  assert.deepEqual(
    { ...newest, at: null },
    {
      at: null,
      operation: 'status',
      answer: 'not_found',
      installation: FIRST_INSTALLATION,
      http_status: 404,
      operator_code: null,
      transport: null,
    },
  )
  const { stdout } = await run('stuck')
  assert.match(
    stdout,
    new RegExp(`^charge ${body.id} live of mer_\\w+, UGX 5000, since .*: the operator does not know it`, 'm'),
  )
  assert.match(stdout, /^ {4}\S+ status: not_found 404$/m)
  service.operator.onSubmit({ answer: 'accept' }, phone)
})

test('D12: a payout in doubt says so, and one that a freeze holds back says what holds it', async () => {
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'reset late' }, phone)
  const { body } = await pay(shop.live, { recipient: { phone } })
  const [queued] = await queueBulk(shop)
  const soon = new Date(Date.now() + 60_000)
  await service.rows(`update payouts set follow_at = $1 where follow_at is not null`, [soon])
  const doubted = await about('payout', body.id)
  assert.deepEqual(
    [doubted.why, doubted.state, doubted.evidence[0].answer],
    ['the operator has not said how it ended', 'in_doubt', 'ambiguous'],
  )
  assert.equal((await about('payout', queued as string)).why, 'the operator has not taken it')
  assert.equal((await run('payouts', 'freeze', '--reason', 'a look')).code, 0)
  assert.equal((await about('payout', queued as string)).why, 'live payouts are frozen')
  assert.equal((await run('payouts', 'unfreeze')).code, 0)
})

test('D12: an event, an order, a dispense, a schedule, a hold and a key that were left lying are listed', async () => {
  const { merchant: row } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const owner = { merchantId: row.id, tag: row.tag }
  await service.set(shop.merchant, { webhookUrl: 'https://93.184.216.34/hook', vendingEnabled: true })
  const paid = await paidOrder(service, owner)
  const commanded = await paidOrder(service, owner, { machine: 'M-2' })
  await told(service, commanded)
  assert.equal((await about('order', paid.id)).why, 'it is paid and no machine was told')
  assert.equal((await about('dispense', commanded.id)).why, 'the supplier took the command and no machine has reported')
  const [event] = await service.rows<{ id: string }>('select id from events where subject = $1', [paid.chargeId])
  assert.equal((await about('delivery', event?.id ?? '')).why, 'nobody has sent it since it was due')

  const start_at = new Date(service.clock.nowMs() + 60_000).toISOString()
  const recipients = [{ phone: '0700000000' }]
  const made = await shop.test.post('/v1/scheduled-payouts', {
    amount: 5000,
    interval: 'daily',
    recipients,
    start_at,
  })
  assert.equal(made.status, 201, made.text)
  assert.equal((await about('schedule', made.body.id)).why, 'nobody has run it since it was due')

  const held = (await shop.live.charge({ customer: { phone: newPayer() } })).body.id
  await service.rows(
    `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, created_at)
     values ($1, 'live', 'left', sha256('left'), $2, $3)`,
    [row.id, held, service.clock.now()],
  )
  assert.equal((await about('key', held)).why, 'its Idempotency-Key has no answer')
  await service.rows(`delete from idempotency_keys where key = 'left'`)
})

test('D12: of a kind that is stuck by the thousand the oldest 500 are named', async () => {
  const { merchant: row } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await service.rows(
    `insert into idempotency_keys (merchant_id, mode, key, fingerprint, created_at)
     select $1, 'live', 'many ' || n, sha256('x'), $2::timestamptz - n * interval '1 second' from generate_series(1, 1200) n`,
    [row.id, service.clock.now()],
  )
  const keys = (await stuck()).filter(({ kind }) => kind === 'key')
  await service.rows(`delete from idempotency_keys where key like 'many %'`)
  assert.equal(keys.length, 500)
  const times = keys.map(({ since }) => since)
  assert.deepEqual(times, [...times].sort())
})
