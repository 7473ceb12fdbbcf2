import assert from 'node:assert/strict'
import test from 'node:test'
import { reconcileNow } from '../../../src/operations/reconciliation/reconcile.ts'
import { railTroubles } from '../../../src/rails/rail-troubles.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../helpers/payments/following-payouts.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { eventually, newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const METRICS = { authorization: 'Bearer look' }

const person = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startOp1Service({
    entry: { statusPerSecond: 8, floatAlarmAmount: 1000 },
    env: { LIVE_HOLD_HOURS: '0', ALERT_WEBHOOK: `${person.url}?token=secret`, METRICS_TOKEN: 'look' },
  }),
)

const charge = ({ live }: Shop, amount = 5000) => live.charge({ amount, customer: { phone: newPayer() } })
const referenceOf = (id: string) => service.emulator.transactions({ externalId: id })[0]?.reference ?? ''
const rowsOf = (kind: string) =>
  service.rows<{ says: string; count: number }>('select says, count from rail_troubles where kind = $1', [kind])
const told = (kind: string) =>
  person.received
    .map(({ event }) => event)
    .filter((one) => one.kind === kind)
    .flatMap((one) => one.alerts)
const metrics = async () => (await fetch(`${service.url}/metrics`, { headers: METRICS })).text()

async function funded(): Promise<Shop> {
  const shop = await service.shop()
  const { body } = await charge(shop, 500_000)
  await service.emulator.resolve(referenceOf(body.id), { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return shop
}

test('a refusal of our address is told at once, counted, and over an hour after the last one', async () => {
  const shop = await service.shop()
  await service.emulator.fault('forbiddenIp', { count: 3 })
  for (let nth = 0; nth < 3; nth += 1) assert.equal((await charge(shop)).status, 502)
  await eventually('three are counted', async () => Number((await rowsOf('refused'))[0]?.count) === 3)
  await service.run('raise-alerts')
  const [first] = told('rail_refuses')
  assert.deepEqual([first.state, first.size], ['opened', 3])
  assert.match(first.says, /^ug-1 \(collect\): our address is not on the allow-list/)
  service.pass(HOUR + MINUTE)
  await service.run('raise-alerts')
  assert.equal(told('rail_refuses').at(-1).state, 'closed')
})

test('refused credentials and a refused callback address are told, each for itself', async () => {
  const shop = await service.shop()
  await service.emulator.fault('http500', { params: { code: 'INVALID_CALLBACK_URL_HOST' } })
  await charge(shop)
  await service.emulator.fault('unauthorizedOnce', { params: { times: 2 } })
  assert.equal((await charge(shop)).status, 502)
  await eventually('both are written', async () => (await rowsOf('refused')).length === 3)
  service.pass(11 * MINUTE)
  await service.run('raise-alerts')
  const says = told('rail_refuses').map((one) => one.says)
  assert.ok(
    says.some((say) => /INVALID_CALLBACK_URL_HOST/.test(say)),
    `${says}`,
  )
  assert.ok(
    says.some((say) => /refuses the credentials of ug-1 for collection/.test(say)),
    `${says}`,
  )
})

test('a payout that fails for lack of funds says that our float may be empty', async () => {
  const shop = await funded()
  const { body } = await pay(shop.live, { recipient: { phone: newPayer() } })
  await service.emulator.resolve(referenceOf(body.id), { status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' })
  await sendUntilEnded(service, body.id)
  await eventually('it is written', async () => (await rowsOf('float')).length === 1)
  await service.run('raise-alerts')
  assert.match(told('rail_float')[0].says, /^ug-1 \(disburse\): our float may be empty/)
})

test('words that no table has are told when they are more than 1 % of the answers of an hour', async () => {
  const shop = await service.shop()
  const { body } = await charge(shop)
  await service.emulator.resolve(referenceOf(body.id), { status: 'FAILED', reason: 'MOON_IN_WRONG_HOUSE' })
  await followUntilEnded(service, body.id)
  await eventually('it is written', async () => (await rowsOf('unknown-word')).length === 1)
  await service.run('raise-alerts')
  assert.match(told('rail_words')[0].says, /MOON_IN_WRONG_HOUSE/)
})

test('an operator that has been silent for a minute is told, and again when it answers; the metrics show both', async () => {
  const shop = await service.shop()
  await service.emulator.shut()
  for (let nth = 0; nth < 5; nth += 1) await charge(shop)
  assert.match(await metrics(), /^breaker_state\{rail="ug-1",side="collect"\} 2$/m)
  await eventually('it is written', async () => (await rowsOf('breaker')).length === 1)
  await service.run('raise-alerts')
  assert.deepEqual(told('rail_silent'), [], 'it may have been a moment')
  const probed = async () => Number((await rowsOf('breaker'))[0]?.count)
  for (let nth = 2; nth <= 6; nth += 1) {
    service.pass(31 * SECOND)
    // Somebody wants to pay: that sends the probe, and nobody's payment.
    assert.equal((await charge(shop)).status, 502)
    await eventually('the probe has failed', async () => (await probed()) >= nth)
  }
  await service.run('raise-alerts')
  const [first] = told('rail_silent')
  assert.equal(first.state, 'opened')
  assert.match(first.says, /^ug-1 \(collect\): the operator does not answer/)
  await service.emulator.open()
  service.pass(31 * SECOND)
  await eventually('it answers again', async () => {
    await charge(shop)
    return (await metrics()).includes('breaker_state{rail="ug-1",side="collect"} 0')
  })
  service.pass(11 * MINUTE)
  await service.run('raise-alerts')
  assert.equal(told('rail_silent').at(-1).state, 'closed')
})

test('the metrics count calls by what they meant, how long they took, and the questions that are left', async () => {
  const text = await metrics()
  assert.match(text, /^rail_requests_total\{rail="ug-1",operation="submit",class="accepted"\} \d+$/m)
  assert.match(text, /^rail_requests_total\{rail="ug-1",operation="status",class="succeeded"\} 1$/m)
  assert.match(text, /^rail_seconds_count\{rail="ug-1",operation="submit"\} \d+$/m)
  assert.match(text, /^status_budget_left\{rail="ug-1"\} -?[0-9.]+$/m)
})

test('however many different sentences an operator gives rise to, few rows are kept', async () => {
  const { directory } = service.gateway
  const troubles = railTroubles({ directory, clock: service.clock, log: service.gateway.log })
  for (let nth = 0; nth < 500; nth += 1)
    troubles.raise({ installation: 'ug-2', side: 'collect', kind: 'refused', says: `${nth} `.repeat(400) })
  await troubles.close()
  const rows = await service.rows<{ says: string }>(`select says from rail_troubles where installation = 'ug-2'`)
  assert.equal(rows.length, 20)
  assert.ok(rows.every(({ says }) => says.length <= 300))
})

test('a wallet that runs low, or does not agree with what moved, is told until it is right again', async () => {
  const full = service.emulator.wallets().disbursement ?? 0
  await reconcileNow(service.gateway, BY_HAND)
  service.emulator.setWallet('disbursement', 900)
  for (let look = 0; look < 2; look += 1) await reconcileNow(service.gateway, BY_HAND)
  service.pass(11 * MINUTE)
  await service.run('raise-alerts')
  const low = () => told('rail_float').filter(({ says }: { says: string }) => says.includes('runs low'))
  const drift = () => told('critical_break').filter(({ says }: { says: string }) => says.includes('float_drift'))
  assert.match(low()[0].says, /^ug-1 \(disburse\): the wallet runs low: UGX 900 at 20/)
  assert.match(drift()[0].says, /^a critical exception of the platform is open: float_drift of ug-1 disburse/)
  service.emulator.setWallet('disbursement', full)
  for (let look = 0; look < 2; look += 1) {
    await reconcileNow(service.gateway, BY_HAND)
    service.pass(HOUR + MINUTE)
  }
  await service.run('raise-alerts')
  assert.deepEqual([low().at(-1).state, drift().at(-1).state], ['closed', 'closed'])
})
