import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { startEmulator } from '../../emulator/emulator.ts'
import { opened } from '../helpers/service/opened.ts'
import { partnerOf, partyOf } from './partner.ts'

// The control plane (rails.md 6.6): every call of it, over HTTP.
const room = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', controlPort: 0 })
  return { emulator, partner: partnerOf(emulator), close: () => emulator.close() }
})

async function control(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${room.emulator.controlUrl}/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}
const statusOf = async (reference: string) => (await room.partner.ask(reference)).body.status

test('rules are set and cleared, and one that says something unknown is refused with a sentence', async () => {
  const rule = { match: { amount: 666 }, fault: 'http400', params: { code: 'PAYER_NOT_FOUND' } }
  assert.equal((await control('PUT', 'rules', [rule])).status, 200)
  assert.equal((await room.partner.pay({ amount: '666' })).status, 400)
  assert.equal((await room.partner.pay({ amount: '667' })).status, 202)
  await control('DELETE', 'rules')
  assert.equal((await room.partner.pay({ amount: '666' })).status, 202)
  for (const [rules, says] of [
    [[{ macth: {} }], /rule 1 has no field macth/],
    [[{}, { onSubmit: { delay: 5 } }], /onSubmit of rule 2 has no field delay/],
    [[{ fault: 'nothing' }], /no fault called nothing/],
    [[{ fault: 'refuse' }], /no rule about a payment/],
    [[{ switches: ['x'] }], /no switch called x/],
    [{}, /rules are a list/],
  ] as const) {
    const { status, body } = await control('PUT', 'rules', rules)
    assert.equal(status, 400)
    assert.match(body.error, says)
  }
})

test('rules choose by product, operation, external id, reference, n-th request and chance; the first counts', async () => {
  const { emulator, partner } = room
  const code = (name: string) => ({ onSubmit: { http: { status: 400, code: name }, record: false } })
  const reference = randomUUID()
  emulator.setRules([
    { match: { externalIdPrefix: 'pout_' }, ...code('ID') },
    { match: { reference }, ...code('REFERENCE') },
    { match: { product: 'disbursement', operation: 'transfer' }, ...code('PRODUCT') },
    { match: { phone: '256772000005', nth: 2 }, ...code('SECOND') },
    { match: { amount: 77, probability: 0 }, ...code('NEVER') },
    { match: { amount: 77, probability: 1 }, count: 1, ...code('ONCE') },
  ])
  const told = async (changes: Record<string, unknown>, call = {}) => (await partner.pay(changes, call)).body?.code
  const phone = partyOf('collection', '256772000005')
  assert.deepEqual(
    [
      await told({ externalId: 'pout_1' }),
      await told({}, { reference }),
      await told(phone),
      await told(phone),
      await told(phone),
    ],
    ['ID', 'REFERENCE', undefined, 'SECOND', undefined],
  )
  assert.deepEqual([await told({ amount: '77' }), await told({ amount: '77' })], ['ONCE', undefined])
  assert.equal((await partnerOf(emulator, 'disbursement').pay()).body.code, 'PRODUCT')
  emulator.setRules([])
})

test('the clock is told and moved; what is due has run before the answer', async () => {
  const { reference } = await room.partner.pay(partyOf('collection', '256770000051'))
  const before = Date.parse((await control('GET', 'clock')).body.now)
  const { body } = await control('POST', 'clock', { advanceMs: 5000 })
  assert.equal(Date.parse(body.now) - before, 5000)
  assert.equal(await statusOf(reference), 'FAILED')
  assert.equal((await control('POST', 'clock', { advanceMs: 'soon' })).status, 400)
})

test('a transaction is listed, resolved and called back about', async () => {
  const { reference } = await room.partner.pay(partyOf('collection', '256772111111'))
  const found = await control('GET', 'transactions?phone=256772111111')
  assert.deepEqual(
    found.body.transactions.map((transaction: any) => transaction.reference),
    [reference],
  )
  const resolved = await control('POST', `transactions/${reference}/resolve`, {
    status: 'FAILED',
    reason: 'EXPIRED',
  })
  assert.deepEqual([resolved.body.status, resolved.body.reason], ['FAILED', 'EXPIRED'])
  assert.equal((await control('POST', `transactions/${reference}/callback`)).status, 200)
  assert.equal((await control('POST', `transactions/${reference}/resolve`, { status: 'DONE' })).status, 400)
  assert.equal((await control('POST', `transactions/${randomUUID()}/resolve`, { status: 'FAILED' })).status, 404)
  assert.equal((await control('POST', `transactions/${reference}/forget`)).status, 404)
  assert.equal((await control('GET', `transactions?ref=${reference}`)).body.transactions.length, 1)
})

test('oracle, journal and callbacks: what happened, with no secret in it', async () => {
  const { emulator, partner } = room
  const { reference } = await partner.pay({}, { headers: { 'x-callback-url': 'http://127.0.0.1:9/x' } })
  await emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await partner.ask(reference)
  const { references, wallets, totals } = (await control('GET', 'oracle')).body
  const { moves, told, answered, amount, product, known } = references[reference]
  assert.deepEqual(
    { moves, told, answered, amount, product, known },
    {
      ...{ moves: 1, told: 'SUCCESSFUL', answered: 202, amount: 500, product: 'collection', known: true },
    },
  )
  assert.deepEqual(wallets, totals)
  const { journal } = (await control('GET', `journal?ref=${reference}`)).body
  assert.deepEqual(
    journal.map((one: any) => [one.method, one.answer]),
    [
      ['POST', 202],
      ['GET', 200],
    ],
  )
  const all = JSON.stringify((await control('GET', 'journal')).body)
  const { secret, subscriptionKey } = emulator.credentials.collection
  for (const hidden of [secret, subscriptionKey, await partner.token(), 'Bearer', 'Basic'])
    assert.ok(!all.includes(hidden))
  assert.equal((await control('GET', 'callbacks')).body.callbacks.at(-1).status, 0, 'nobody was there')
})

test('wallets are read and set, and payments that do not fit fail', async () => {
  const { emulator, partner } = room
  await control('PUT', 'wallets/256772222222', { amount: 499 })
  assert.equal((await control('GET', 'wallets')).body['256772222222'], 499)
  const { reference } = await partner.pay(partyOf('collection', '256772222222'))
  await emulator.resolve(reference, { status: 'SUCCESSFUL' })
  assert.equal((await partner.ask(reference)).body.reason, 'NOT_ENOUGH_FUNDS')
  const { authorization } = { authorization: `Bearer ${await partner.token()}` }
  const { body } = await partner.call('GET', '/collection/v1_0/account/balance', {
    headers: { authorization },
  })
  assert.deepEqual(body, { availableBalance: String(emulator.wallets().collection), currency: 'UGX' })
  assert.equal((await control('PUT', 'wallets/mine', { amount: 1 })).status, 400)
  assert.equal((await control('PUT', 'wallets/collection', { amount: -1 })).status, 400)
})

test('the statement lists what moved, in a period, with faults on demand', async () => {
  const { emulator, partner } = room
  await control('POST', 'reset')
  for (const amount of ['100', '200', '300']) {
    const { reference } = await partner.pay({ amount, externalId: `txn_${amount}` })
    await emulator.resolve(reference, { status: 'SUCCESSFUL' })
    await emulator.advance(1000)
  }
  const lines = async (query = '') => (await control('GET', `statement.csv${query}`)).body.trim().split('\n').slice(1)
  const plain = await lines()
  assert.equal(plain.length, 3)
  assert.match(plain[0], /^\d+,txn_100,collect,100,0,0,UGX,[-\dT:.]+\+03:00,SUCCESSFUL$/)
  assert.deepEqual((await lines('?faults=missing')).length, 2)
  assert.deepEqual((await lines('?faults=extra')).length, 4)
  assert.match((await lines('?faults=amount'))[0], /,101,/)
  assert.equal((await lines('?faults=duplicate')).filter((line: string) => line.includes('txn_100')).length, 2)
  const from = new Date(emulator.clock.nowMs() - 1500).toISOString()
  assert.deepEqual((await lines(`?from=${from}`)).length, 1)
  assert.deepEqual((await lines(`?to=${from}`)).length, 2)
  assert.equal((await control('GET', 'statement.csv?from=never')).status, 400)
  assert.deepEqual((await lines('?side=collection')).length, 3)
  assert.deepEqual((await lines('?side=disbursement')).length, 0)
  assert.equal((await control('GET', 'statement.csv?side=both')).status, 400)
})

test('faults, switches, credentials, statistics and a reset', async () => {
  const { emulator, partner } = room
  assert.equal((await control('POST', 'fault', { name: 'http', params: { status: 502 }, count: 2 })).status, 200)
  const statuses = [await partner.pay(), await partner.pay(), await partner.pay()].map(({ status }) => status)
  assert.deepEqual(statuses, [502, 502, 202])
  assert.match((await control('POST', 'fault', { name: 'meteor' })).body.error, /no fault called meteor/)
  await control('POST', 'fault', { name: 'unauthorizedAlways' })
  assert.equal((await partner.pay()).status, 401)
  await control('DELETE', 'fault')
  assert.equal((await partner.pay()).status, 202)
  await control('PUT', 'switches/without%20currency', { on: true })
  assert.equal((await partner.pay({ currency: 'EUR' })).status, 202)
  await control('PUT', 'switches/without%20currency', { on: false })
  assert.equal((await partner.pay({ currency: 'EUR' })).status, 500)
  assert.deepEqual((await control('GET', 'credentials')).body.credentials, emulator.credentials)
  const { requests, byStatus, latencies, loopDelayP99Ms } = (await control('GET', 'stats')).body
  assert.equal(byStatus['502'], 2)
  assert.ok(loopDelayP99Ms >= 0)
  assert.equal(
    latencies.reduce((sum: number, step: any) => sum + step.answers, 0),
    requests,
  )
  await control('POST', 'reset')
  assert.deepEqual([emulator.transactions(), emulator.journal(), emulator.stats().requests], [[], [], 0])
  assert.equal((await control('GET', 'nothing')).status, 404)
})
