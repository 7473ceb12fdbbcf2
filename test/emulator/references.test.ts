import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { codeOf, partnerOf, paymentBody, withOperator } from './partner.ts'

// Tokens, references and paths of the operator, where one answer depends on an earlier one (rails.md 6.1).

test('a token ends, and a token of one product does not open the other', () =>
  withOperator({}, async (emulator, partner) => {
    assert.equal((await partner.pay()).status, 202)
    await emulator.advance(3600 * 1000)
    assert.deepEqual(codeOf(await partner.pay()), [401, 'token_expired'])
    const other = await partnerOf(emulator, 'disbursement').token()
    const crossed = await partner.pay({}, { headers: { authorization: `Bearer ${other}` } })
    assert.deepEqual(codeOf(crossed), [401, 'login_failed'])
  }))

test('bad users are a 500 or another word where a rule says so', () =>
  withOperator({}, async (emulator) => {
    const bad = partnerOf(emulator, 'collection', { ...emulator.credentials.collection, secret: 'wrong' })
    const ask = () => bad.call('POST', '/collection/token/', { headers: { authorization: 'Basic dTpz' } })
    emulator.setRules([{ switches: ['token500'] }])
    assert.deepEqual(codeOf(await ask()), [500, 'INTERNAL_PROCESSING_ERROR'])
    emulator.setRules([{ switches: ['invalidClient'] }])
    assert.deepEqual(codeOf(await ask()), [401, 'invalid_client'])
  }))

test('a token call that says it is a form and has no body is answered', () =>
  withOperator({}, async (emulator, partner) => {
    const { user, secret } = emulator.credentials.collection
    const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await partner.call('POST', '/collection/token/', { headers })).body.expires_in, 3600)
  }))

test('disbursements are refused from addresses that are not allow-listed, collections are not', () =>
  withOperator({ switches: ['allowList'] }, async (emulator, partner) => {
    assert.deepEqual(codeOf(await partnerOf(emulator, 'disbursement').pay()), [403, 'FORBIDDEN IP'])
    assert.equal((await partner.pay()).status, 202)
  }))

test('a reference is taken once by each product, whatever the second body says, in either case of letters', () =>
  withOperator({}, async (emulator, partner) => {
    const { reference } = await partner.pay()
    const again = await partner.pay({ amount: 'nonsense' }, { reference: reference.toUpperCase() })
    assert.deepEqual(codeOf(again), [409, 'RESOURCE_ALREADY_EXIST'])
    const other = partnerOf(emulator, 'disbursement')
    assert.equal((await other.ask(reference)).status, 404, 'unknown to the other product')
    assert.equal((await other.pay({}, { reference })).status, 202)
    assert.equal(Object.keys(emulator.oracle().references).length, 2)
  }))

test('a refusal with 400 uses its reference up, unless a rule says the opposite', () =>
  withOperator({}, async (emulator, partner) => {
    const { reference } = await partner.pay({ amount: '0' })
    assert.equal((await partner.pay({}, { reference })).status, 409)
    assert.deepEqual(codeOf(await partner.ask(reference)), [404, 'RESOURCE_NOT_FOUND'])
    emulator.switch('reuseRefused', true)
    const second = await partner.pay({ amount: '0' })
    assert.equal((await partner.pay({}, { reference: second.reference })).status, 202)
  }))

test('more than ten questions in a second get 429', () =>
  withOperator({ statusCap: 10 }, async (emulator, partner) => {
    const { reference } = await partner.pay()
    const ask = async (times: number) => {
      const heard: number[] = []
      for (let nth = 0; nth < times; nth += 1) heard.push((await partner.ask(reference)).status)
      return heard
    }
    assert.deepEqual(await ask(12), [...Array(10).fill(200), 429, 429])
    await emulator.advance(1000)
    assert.deepEqual(await ask(2), [200, 200])
  }))

test('unknown paths are a 404 of the gateway, and letters and trailing slashes of known ones do not matter', () =>
  withOperator({}, async (emulator, partner) => {
    const headers = { authorization: `Bearer ${await partner.token()}` }
    const get = (path: string) => partner.call('GET', path, { headers })
    assert.deepEqual((await get('/collection/v9_0/nothing')).body, {
      statusCode: 404,
      message: 'Resource not found',
    })
    assert.deepEqual((await get('/')).body, { statusCode: 404, message: 'Resource not found' })
    assert.equal((await get('/collection/v1_0/transfer/x')).status, 404, 'a transfer is no collection')
    for (const path of ['msisdn/256772000001/active', 'MSISDN/256772000001/active/'])
      assert.deepEqual((await get(`/collection/v1_0/accountholder/${path}`)).body, { result: true })
    const slashed = await partner.call('POST', '/collection/v1_0/requesttopay/', {
      headers: { ...headers, 'x-reference-id': randomUUID() },
      body: paymentBody(emulator, 'collection'),
    })
    assert.equal(slashed.status, 202)
  }))
