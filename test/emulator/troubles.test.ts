import assert from 'node:assert/strict'
import test from 'node:test'
import type { Emulator } from '../../emulator/emulator.ts'
import { codeOf, outcomeOf, type Partner, partnerOf, partyOf, withOperator } from './partner.ts'

// Faults of rails.md 6.5 that are about the whole operator: its address, its tokens, its wallets, its memory.
const phone = (nn: string) => partyOf('collection', `2567700001${nn}`)
const begun = (work: (emulator: Emulator, partner: Partner) => Promise<void>) => () => withOperator({}, work)

test(
  'refuse: nothing listens, and then again',
  begun(async (emulator, partner) => {
    await partner.pay()
    await emulator.fault('refuse')
    assert.deepEqual((await outcomeOf(partner)).hears, ['ECONNREFUSED'])
    await emulator.calm()
    assert.deepEqual((await outcomeOf(partner)).hears, [202, ''])
    await emulator.shut()
    assert.deepEqual((await outcomeOf(partner)).hears, ['ECONNREFUSED'])
    await emulator.open()
    assert.deepEqual((await outcomeOf(partner)).hears, [202, ''])
  }),
)

test(
  'refuse by phone 02: the connection breaks, nothing listens for ten seconds, then all is well',
  begun(async (emulator, partner) => {
    const first = await outcomeOf(partner, phone('02'))
    assert.deepEqual(first.hears, ['UND_ERR_SOCKET'])
    assert.deepEqual((await outcomeOf(partner)).hears, ['ECONNREFUSED'])
    await emulator.advance(10_000)
    assert.equal((await partner.pay(phone('02'), { reference: first.reference })).status, 202)
  }),
)

test(
  'connectTimeout: connections are neither taken nor refused',
  begun(async (emulator, partner) => {
    await partner.pay()
    await emulator.fault('connectTimeout')
    assert.deepEqual((await outcomeOf(partner)).hears, ['UND_ERR_CONNECT_TIMEOUT'])
    await emulator.calm()
    assert.deepEqual((await outcomeOf(partner)).hears, [202, ''])
    await outcomeOf(partner, phone('03'))
    await emulator.advance(10_000)
    assert.deepEqual((await outcomeOf(partner)).hears, [202, ''])
  }),
)

test(
  'unauthorized once, several times, of one product, and always',
  begun(async (emulator, partner) => {
    const statuses = async (times: number) => {
      const heard: number[] = []
      for (let nth = 0; nth < times; nth += 1) heard.push((await partner.pay()).status)
      return heard
    }
    await emulator.fault('unauthorizedOnce')
    assert.deepEqual(await statuses(2), [401, 202])
    await emulator.fault('unauthorizedOnce', { count: 2, params: { product: 'collection' } })
    assert.equal((await partnerOf(emulator, 'disbursement').pay()).status, 202)
    assert.deepEqual(await statuses(3), [401, 401, 202])
    await emulator.fault('unauthorizedAlways')
    assert.deepEqual(await statuses(3), [401, 401, 401])
    await emulator.calm()
    assert.deepEqual(await statuses(1), [202])
    assert.equal(emulator.transactions().length, 4, 'a 401 comes before anything is taken')
  }),
)

for (const [nn, again] of [
  ['13', 202],
  ['14', 401],
] as const)
  test(
    `a 401 by phone ${nn}: the second time ${again}`,
    begun(async (_, partner) => {
      const { status, reference } = await partner.pay(phone(nn))
      assert.equal(status, 401)
      assert.equal((await partner.pay(phone(nn), { reference })).status, again)
    }),
  )

test(
  'tokens: expired in mid-flight, revoked, a service that is down, and short lives by a rule',
  begun(async (emulator, partner) => {
    await partner.pay()
    await emulator.fault('tokenExpired', { params: { seconds: 30 } })
    assert.deepEqual(codeOf(await partner.pay()), [401, 'token_expired'])
    const renewed = partnerOf(emulator)
    assert.equal((await renewed.pay()).status, 202)
    await emulator.advance(30_000)
    assert.equal((await renewed.pay()).status, 401, 'it lived for 30 s')
    await emulator.calm()
    const third = partnerOf(emulator)
    await third.pay()
    await emulator.fault('tokenRevoked')
    assert.deepEqual(codeOf(await third.pay()), [401, 'login_failed'])
    await emulator.fault('tokenDown', { params: { ms: 5000 } })
    assert.equal((await third.call('POST', '/collection/token/')).status, 503)
    await emulator.advance(5000)
    emulator.setRules([{ token: { ttlSeconds: 7 } }])
    const headers = {
      authorization: `Basic ${Buffer.from(Object.values(emulator.credentials.collection).slice(1).join(':')).toString('base64')}`,
    }
    const { body } = await third.call('POST', '/collection/token/', { headers })
    assert.equal(body.expires_in, 7)
  }),
)

for (const nn of ['19', '20', '21'])
  test(
    `tokens by phone ${nn}: refused once, and a new token pays`,
    begun(async (emulator, partner) => {
      const { status, reference } = await partner.pay(phone(nn))
      assert.equal(status, 401)
      await emulator.advance(10_000)
      assert.equal((await partnerOf(emulator).pay(phone(nn), { reference })).status, 202)
    }),
  )

test(
  'statusCap: so many questions a second',
  begun(async (emulator, partner) => {
    const { reference } = await partner.pay()
    const ask = async () => (await partner.ask(reference)).status
    await emulator.fault('statusCap', { params: { times: 2 } })
    assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
    await emulator.calm()
    assert.deepEqual([await ask(), await ask()], [200, 200])
    await partner.pay(phone('36'))
    assert.deepEqual([await ask(), await ask()], [429, 429])
  }),
)

test(
  'an empty float, an inactive wallet, a name that is not given',
  begun(async (emulator, partner) => {
    const out = partnerOf(emulator, 'disbursement')
    await emulator.fault('floatEmpty')
    const { reference } = await out.pay()
    await emulator.resolve(reference, { status: 'SUCCESSFUL' })
    const { body } = await out.ask(reference)
    assert.deepEqual([body.status, body.reason], ['FAILED', 'NOT_ENOUGH_FUNDS'])
    const headers = { authorization: `Bearer ${await out.token()}` }
    const look = async (digits: string, what: string) =>
      await out.call('GET', `/disbursement/v1_0/accountholder/msisdn/${digits}/${what}`, { headers })
    await emulator.fault('walletInactive', { params: { phone: '256772000009' } })
    assert.deepEqual((await look('256772000009', 'active')).body, { result: false })
    await emulator.fault('kycDenied')
    assert.equal((await look('256772000001', 'basicuserinfo')).status, 403)
    assert.deepEqual((await look('256772000001', 'active')).body, { result: true })
    await emulator.calm()
    assert.equal((await look('256772000001', 'basicuserinfo')).status, 200)
    for (const [nn, word] of [
      ['37', 'NOT_ENOUGH_FUNDS'],
      ['38', 'PAYEE_NOT_ALLOWED_TO_RECEIVE'],
    ] as const) {
      const one = await partner.pay(phone(nn))
      await emulator.advance(1000)
      assert.equal((await partner.ask(one.reference)).body.reason, word)
    }
    assert.deepEqual((await look('256770000138', 'active')).body, { result: false })
    await partner.pay(phone('39'))
    assert.equal((await look('256772000001', 'basicuserinfo')).status, 403)
  }),
)

test(
  'platformMoved: an old reference is known at the old address only',
  begun(async (emulator, partner) => {
    const { reference } = await partner.pay()
    await emulator.fault('platformMoved')
    const url = emulator.movedUrl ?? ''
    assert.equal((await partner.ask(reference, { url })).status, 404)
    assert.equal((await partner.ask(reference)).status, 200)
    const moved = await partner.pay({}, { url })
    assert.deepEqual([moved.status, (await partner.ask(moved.reference)).status], [202, 404])
    const old = await partner.call('POST', '/collection/token/', {
      url,
      headers: { 'user-agent': 'python-requests/2' },
    })
    assert.equal(old.status, 403, 'the second address is of the new platform')
    const byPhone = await partner.pay(phone('40'))
    assert.deepEqual(
      [(await partner.ask(byPhone.reference)).status, (await partner.ask(byPhone.reference, { url })).status],
      [404, 200],
    )
  }),
)

test(
  'restart keeps what was taken, or loses it; tokens are gone, money that moved has moved',
  begun(async (emulator, partner) => {
    const { reference } = await partner.pay()
    const done = await partner.pay({ amount: '900' })
    await emulator.resolve(done.reference, { status: 'SUCCESSFUL' })
    await emulator.restart({ keepsState: true })
    assert.equal((await partner.pay()).status, 401)
    const kept = partnerOf(emulator)
    assert.equal((await kept.ask(reference)).body.status, 'PENDING')
    await emulator.fault('restart', { params: { record: false } })
    const lost = partnerOf(emulator)
    assert.equal((await lost.ask(done.reference)).status, 404)
    assert.equal((await lost.pay({}, { reference: done.reference })).status, 202, 'it knows no duplicate')
    await emulator.resolve(done.reference, { status: 'SUCCESSFUL' })
    const { references, wallets, totals } = emulator.oracle()
    assert.deepEqual(wallets, totals)
    assert.equal(wallets.collection, 1400)
    const known = Object.values(references).filter(({ externalId, moves }) => externalId === 'txn_1' && moves === 1)
    assert.deepEqual(
      known.map((one) => one.known),
      [true, false],
    )
    const { hears } = await outcomeOf(lost, phone('41'))
    assert.deepEqual(hears, ['UND_ERR_SOCKET'])
    assert.equal(emulator.transactions({ phone: '256770000141' }).length, 1, 'taken before it went down')
  }),
)
