import assert from 'node:assert/strict'
import test from 'node:test'
import { FEE, NOT_POSITIVE, overLimit, TOO_MUCH } from '../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid, type Refused } from '../../api/http/refused.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
})

const charge = (client: Client, amount: string) =>
  client.post('/v1/charges', `{"amount":${amount},"channel":"op1_momo","customer":{"phone":"0700000000"}}`)

// As it stands in the body, what is charged, the fee.
const ACCEPTED: [string, number, number][] = [
  ['201', 201, 200],
  ['500', 500, 200],
  ['5000', 5000, 200],
  ['5000.0', 5000, 200],
  ['5e3', 5000, 200],
  ['5E+3', 5000, 200],
  ['0.5e4', 5000, 200],
  ['500000e-2', 5000, 200],
  ['13333', 13_333, 200],
  ['13334', 13_334, 200],
  ['13399', 13_399, 200],
  ['13400', 13_400, 201],
  ['13466', 13_466, 201],
  ['13467', 13_467, 202],
  ['50000', 50_000, 750],
  ['333333', 333_333, 4999],
  ['333334', 333_334, 5000],
  ['400000', 400_000, 5000],
  ['1000000000', 1_000_000_000, 5000],
]

for (const [text, amount, fee] of ACCEPTED)
  test(`an amount of ${text} is charged with a fee of ${fee}, and that is what the ledger moves`, async () => {
    const merchant = await service.merchant()
    const client = service.client(merchant.keys.test)
    const { status, body } = await charge(client, text)
    assert.equal(status, 201)
    assert.deepEqual([body.amount, body.fee, body.net], [amount, fee, amount - fee])
    service.pass(2000)
    await service.run('follow-charges')
    assert.equal((await client.get('/v1/balance')).body.balances[0].available, amount - fee)
  })

const NO_INTEGER = invalid('amount must be an integer')
const NO_JSON = invalid('body is not valid JSON')

const REFUSED: [string, Refused][] = [
  ['0', NOT_POSITIVE],
  ['-0', NOT_POSITIVE],
  ['0.0', NOT_POSITIVE],
  ['-5', NOT_POSITIVE],
  ['-1e30', NOT_POSITIVE],
  ['1', FEE],
  ['199', FEE],
  ['200', FEE],
  ['1000000001', TOO_MUCH],
  ['9007199254740991', TOO_MUCH],
  ['9007199254740993', TOO_MUCH],
  ['1e30', TOO_MUCH],
  ['1e308', TOO_MUCH],
  ['1e400', TOO_MUCH],
  ['"5000"', NO_INTEGER],
  ['""', NO_INTEGER],
  ['true', NO_INTEGER],
  ['null', NO_INTEGER],
  ['[1]', NO_INTEGER],
  ['[]', NO_INTEGER],
  ['{}', NO_INTEGER],
  ['5000.5', NO_INTEGER],
  ['1e-1', NO_INTEGER],
  ['05000', NO_JSON],
  ['+5000', NO_JSON],
  ['0x1388', NO_JSON],
  ['.5', NO_JSON],
  ['5000.', NO_JSON],
  ['5_000', NO_JSON],
  ['NaN', NO_JSON],
  ['Infinity', NO_JSON],
  ['5000n', NO_JSON],
]

for (const [text, expected] of REFUSED)
  test(`an amount of ${text} is refused: ${expected.error}`, async () => {
    const before = await service.digest()
    assertRefused(await charge(api, text), expected)
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a body without an amount is refused like a wrong one', async () => {
  assertRefused(await api.charge({ amount: undefined }), NO_INTEGER)
  assertRefused(await api.post('/v1/charges'), NO_INTEGER, { because: 'an empty body counts as {}' })
})

test('the ceiling is a setting, passes itself, and goes up to 10^12', async () => {
  const high = await startService({ database: service.database, env: { AMOUNT_MAX: '1000000000000' } })
  const low = await startService({ database: service.database, env: { AMOUNT_MAX: '250' } })
  try {
    const { keys } = await service.merchant()
    const charged = await charge(high.client(keys.test), '1000000000000')
    assert.equal(charged.status, 201)
    assert.equal(charged.body.net, 999_999_995_000)
    const read = await high.client(keys.test).get(`/v1/charges/${charged.body.id}`)
    assert.equal(read.body.amount, 1_000_000_000_000, 'nothing is rounded on the way')
    assertRefused(
      await charge(high.client(keys.test), '1000000000001'),
      domain('amount_too_large', 'amount exceeds the maximum of 1000000000000'),
    )
    assert.equal((await charge(low.client(keys.test), '250')).status, 201)
    assertRefused(
      await charge(low.client(keys.test), '251'),
      domain('amount_too_large', 'amount exceeds the maximum of 250'),
    )
  } finally {
    await high.close()
    await low.close()
  }
})

test('a limit of the account lets the limit itself pass and counts in both modes', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { chargeLimit: 5000 })
  const own = service.client(merchant.keys.test)
  assert.equal((await charge(own, '5000')).status, 201)
  const over = overLimit('charge', 5000)
  assertRefused(await charge(own, '5001'), over)
  assertRefused(await charge(service.client(merchant.keys.live), '5001'), over)
})
