import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { startEmulator } from '../../emulator/emulator.ts'
import { opened } from '../helpers/service/opened.ts'
import { type Partner, partnerOf, partyOf, withOperator } from './partner.ts'

// What the last two digits of a phone choose (rails.md 6.4), in the operator's own sandbox and in Uganda.
const BOTH = ['INTERNAL_PROCESSING_ERROR', 'APPROVAL_REJECTED', 'EXPIRED']
const WORDS = {
  collection: [
    ...['PAYER_NOT_FOUND', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
    ...['INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY', 'INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE'],
    ...['COULD_NOT_PERFORM_TRANSACTION', 'TRANSFER_TYPE_UNKNOWN'],
  ],
  disbursement: [
    ...['NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED', 'PAYEE_NOT_FOUND', 'NOT_ALLOWED'],
    ...['NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY'],
    ...['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE', 'TRANSFER_TYPE_UNKNOWN'],
  ],
}
const PREFIXES = { sandbox: '467331234', mtnuganda: '2567700000' } as const

for (const profile of ['sandbox', 'mtnuganda'] as const)
  for (const product of ['collection', 'disbursement'] as const)
    test(`${profile}: every number of the matrix ends a ${product} as the table says`, () =>
      withOperator({ profile, decide: 'at once' }, async (emulator) => {
        const partner = partnerOf(emulator, product)
        const phoneOf = (nn: number) => `${PREFIXES[profile]}${nn}`
        const payTo = async (nn: number) => (await partner.pay(partyOf(product, phoneOf(nn)))).reference
        const told = async (reference: string) => {
          const { body } = await partner.ask(reference)
          return [body.status, body.reason]
        }
        const failing = [
          ...[50, 51, 52].map((nn, at) => [nn, BOTH[at]]),
          ...WORDS[product].map((word, at) => [55 + at, word]),
        ]
        const references = await Promise.all(failing.map(([nn]) => payTo(Number(nn))))
        const [slow, created, plain] = [await payTo(53), await payTo(54), await payTo(99)]
        assert.deepEqual(await told(created), ['CREATED', undefined])
        await emulator.advance(10_000)
        for (const [at, reference] of references.entries())
          assert.deepEqual(await told(reference), ['FAILED', failing[at]?.[1]], `NN ${failing[at]?.[0]}`)
        assert.deepEqual(
          [await told(slow), await told(plain)],
          [
            ['PENDING', undefined],
            ['SUCCESSFUL', undefined],
          ],
        )
        await emulator.advance(170_000)
        assert.deepEqual(
          [await told(slow), await told(created)],
          [
            ['FAILED', 'EXPIRED'],
            ['SUCCESSFUL', undefined],
          ],
        )
      }))

test('the same words at once, where a rule says so', () =>
  withOperator({ switches: ['syncRefusal'] }, async (emulator) => {
    const partner = partnerOf(emulator, 'disbursement')
    const at = async (nn: number) => {
      const { status, body } = await partner.pay(partyOf('disbursement', `2567700000${nn}`))
      return [status, body?.code]
    }
    assert.deepEqual(await at(57), [400, 'PAYEE_NOT_FOUND'])
    assert.deepEqual(await at(58), [500, 'NOT_ALLOWED'])
    assert.deepEqual(await at(63), [503, 'SERVICE_UNAVAILABLE'])
    assert.deepEqual(await at(51), [202, undefined], 'a person decides later')
    assert.equal(emulator.transactions().length, 1)
  }))

const side = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', profile: 'sandbox', decide: 'at once' })
  return { emulator, close: () => emulator.close() }
})

test('holders by number: active, inactive, not found, and each refusal', async () => {
  const partner = partnerOf(side.emulator, 'disbursement')
  const headers = { authorization: `Bearer ${await partner.token()}` }
  const look = async (nn: number, what = 'active') => {
    const path = `/disbursement/v1_0/accountholder/msisdn/467331234${nn}/${what}`
    const { status, body } = await partner.call('GET', path, { headers })
    return [status, body.code ?? body.result ?? body.given_name]
  }
  const heard = await Promise.all([50, 51, 52, 53, 54, 55, 56].map((nn) => look(nn)))
  assert.deepEqual(heard, [
    [404, 'RESOURCE_NOT_FOUND'],
    [200, false],
    [500, 'NOT_ALLOWED'],
    [500, 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
    [500, 'INTERNAL_PROCESSING_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
    [200, true],
  ])
  assert.deepEqual(await look(56, 'basicuserinfo'), [200, 'Holder'])
  assert.deepEqual(await look(51, 'basicuserinfo'), [404, 'RESOURCE_NOT_FOUND'])
})

/** Sends one of the operations that nobody here uses, and asks how it ended. */
async function does(partner: Partner, path: string, body: object, method = 'POST'): Promise<[number, any]> {
  const reference = randomUUID()
  const headers = { authorization: `Bearer ${await partner.token()}`, 'x-reference-id': reference }
  const { status } = await partner.call(method, path, { headers, body })
  const told = await partner.call('GET', `${path}/${reference}`, { headers })
  return [status, told.body]
}
const money = { amount: '100', currency: 'EUR', externalId: 'x' }
const party = { partyIdType: 'MSISDN', partyId: '46733123499' }

test('withdrawals, deposits and refunds move money, in both versions', async () => {
  const { emulator } = side
  const collection = partnerOf(emulator)
  const disbursement = partnerOf(emulator, 'disbursement')
  const before = emulator.wallets()
  for (const version of ['v1_0', 'v2_0']) {
    const [status, told] = await does(collection, `/collection/${version}/requesttowithdraw`, {
      ...money,
      payer: party,
    })
    assert.deepEqual([status, told.status], [202, 'SUCCESSFUL'])
    const deposit = await does(disbursement, `/disbursement/${version}/deposit`, { ...money, payee: party })
    assert.deepEqual([deposit[0], deposit[1].status], [202, 'SUCCESSFUL'])
  }
  const { reference } = await collection.pay(partyOf('collection', '46733123498'))
  const refund = { ...money, referenceIdToRefund: reference }
  const [, refunded] = await does(disbursement, '/disbursement/v2_0/refund', refund)
  assert.deepEqual([refunded.status, refunded.payee.partyId], ['SUCCESSFUL', '46733123498'])
  const after = emulator.wallets()
  const change = (name: string) => (after[name] ?? 0) - (before[name] ?? 0)
  assert.deepEqual([change('collection'), change('disbursement')], [700, -300])
  const [, second] = await does(disbursement, '/disbursement/v1_0/refund', {
    ...money,
    referenceIdToRefund: '2',
  })
  assert.equal(second.status, 'PENDING')
})

test('preapprovals, invoices, bill payments, messages and consent are known', async () => {
  const partner = partnerOf(side.emulator)
  const approved = await does(partner, '/collection/v2_0/preapproval', { payer: party })
  assert.deepEqual([approved[0], approved[1].status], [202, 'SUCCESSFUL'])
  const invoice = await does(partner, '/collection/v2_0/invoice', { amount: '5' })
  assert.deepEqual([invoice[0], invoice[1].status], [202, 'CREATED'])
  const bill = await does(partner, '/collection/v2_0/payment', { money: { amount: '4000' } })
  assert.deepEqual([bill[0], bill[1].status, bill[1].reason], [202, 'FAILED', 'NOT_ENOUGH_FUNDS'])
  const { reference } = await partner.pay(partyOf('collection', '46733123498'))
  const headers = { authorization: `Bearer ${await partner.token()}` }
  const notify = async (notificationMessage: string) => {
    const path = `/collection/v1_0/requesttopay/${reference}/deliverynotification`
    return (await partner.call('POST', path, { headers, body: { notificationMessage } })).status
  }
  assert.deepEqual([await notify('Thank you'), await notify('x'.repeat(161))], [200, 400])
  const consent = await partner.call('POST', '/collection/v1_0/bc-authorize', {
    headers,
    body: 'scope=profile',
  })
  assert.equal(consent.status, 200)
  assert.ok(consent.body.auth_req_id)
})

test('a developer makes an API user, and its callbacks go to its host only', async () => {
  const { emulator } = side
  const { subscriptionKey } = emulator.credentials.collection
  const bare = partnerOf(emulator)
  const user = randomUUID()
  const make = (providerCallbackHost: string) =>
    bare.call('POST', '/v1_0/apiuser', {
      headers: { 'x-reference-id': user },
      body: { providerCallbackHost },
    })
  assert.equal((await make('https://shop.example/x')).status, 400, 'a host is no address')
  assert.deepEqual([(await make('shop.example')).status, (await make('shop.example')).status], [201, 409])
  assert.deepEqual((await bare.call('GET', `/v1_0/apiuser/${user}`)).body, {
    providerCallbackHost: 'shop.example',
    targetEnvironment: 'sandbox',
  })
  const { status, body } = await bare.call('POST', `/v1_0/apiuser/${user}/apikey`, { body: '' })
  assert.equal(status, 201)
  assert.match(body.apiKey, /^[0-9a-f]{32}$/)
  const made = partnerOf(emulator, 'collection', { subscriptionKey, user, secret: body.apiKey })
  const payAt = async (url: string) => (await made.pay({}, { headers: { 'x-callback-url': url } })).status
  assert.deepEqual([await payAt('http://shop.example/a'), await payAt('http://localhost/a')], [202, 500])
  assert.equal((await bare.call('GET', `/v1_0/apiuser/${randomUUID()}`)).status, 404)
})

test('outside the sandbox users are made in the portal of the operator', () =>
  withOperator({}, async (_, partner) => {
    const headers = { 'x-reference-id': randomUUID() }
    const { status } = await partner.call('POST', '/v1_0/apiuser', {
      headers,
      body: { providerCallbackHost: 'h' },
    })
    assert.equal(status, 404)
  }))
