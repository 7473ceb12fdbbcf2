import assert from 'node:assert/strict'
import test from 'node:test'
import { assertFree } from '../../api/http/kept-or-free.ts'
import { badRequest, invalid, type Refused } from '../../api/http/refused.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
})

const NAME_REQUIRED = badRequest('subaccount name is required')
const POST = '/v1/subaccounts'

const FAULTS: [string, object, Refused | string][] = [
  ['no name', {}, NAME_REQUIRED],
  ['a blank name', { name: '   ' }, NAME_REQUIRED],
  ['null as a name', { name: null, payout_phone: '0700000000' }, NAME_REQUIRED],
  ['a number as a name', { name: 7 }, 'name must be a string'],
  ['a name of 201 characters', { name: 'n'.repeat(201) }, 'name must be at most 200 characters'],
  ['a name with a tab', { name: 'a\tb' }, 'name contains control characters'],
  ['no phone', { name: 'A', payout_phone: 'abc' }, 'payout_phone is not a valid phone number'],
  ['a short phone', { name: 'A', payout_phone: '070000' }, 'payout_phone is not a valid phone number'],
  ['a number as a phone', { name: 'A', payout_phone: 700000000 }, 'payout_phone must be a string'],
  [
    'a reference of 256 characters',
    { name: 'A', external_ref: 'r'.repeat(256) },
    'external_ref must be at most 255 characters',
  ],
  ['a list as a reference', { name: 'A', external_ref: [] }, 'external_ref must be a string'],
]
for (const [what, body, problem] of FAULTS)
  test(`a subaccount with ${what} is refused, and its key is free again`, () => {
    const expected = typeof problem === 'string' ? invalid(problem) : problem
    const sent = { api, path: POST, body, expected, digest: service.digest, keyless: true } as const
    return assertFree(sent, { name: 'Farm' })
  })

test('thirty a minute are accepted for each merchant and mode', async (context) => {
  const env = { RATE_LIMIT_SUBACCOUNTS: '30' }
  const limited = await startService({ database: service.database, clock: service.clock, env })
  context.after(() => limited.close())
  const merchant = await service.merchant()
  const inTest = limited.client(merchant.keys.test)
  for (let count = 0; count < 30; count += 1) assert.equal((await inTest.post(POST, { name: 'Farm' })).status, 201)
  const refused = await inTest.post(POST, { name: 'Farm' })
  assert.equal(refused.status, 429)
  assert.equal(refused.body.code, 'rate_limited')
  assert.equal((await limited.client(merchant.keys.live).post(POST, { name: 'Farm' })).status, 201)
})
