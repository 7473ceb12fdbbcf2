import assert from 'node:assert/strict'
import test from 'node:test'
import { assertFree, assertKept, caseOf, type Rule } from '../../api/http/kept-or-free.ts'
import {
  CURRENCY,
  FEE,
  INACTIVE,
  NOT_POSITIVE,
  overLimit,
  TOO_MUCH,
  unverified,
} from '../../api/http/known-refusals.ts'
import { assertRefused, invalid } from '../../api/http/refused.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const LINKS = '/v1/payment-links'
const LINK = { amount: 5000 }
const NOTHING = {}
let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
})

const DOMAIN: Rule[] = [
  { expected: INACTIVE, fault: { active: false }, cured: { active: true } },
  { expected: INACTIVE, body: { amount: 0 }, fault: { active: false }, cured: { active: true } },
  { expected: NOT_POSITIVE, body: { amount: 0 } },
  {
    expected: NOT_POSITIVE,
    body: { amount: -1, currency: 'KES' },
  },
  {
    expected: TOO_MUCH,
    body: { amount: 1_000_000_001 },
  },
  {
    expected: TOO_MUCH,
    body: { amount: 1e30, currency: 'KES' },
  },
  {
    expected: overLimit('charge', 4999),
    fault: { chargeLimit: 4999 },
    cured: { chargeLimit: 5000 },
  },
  {
    expected: CURRENCY,
    body: { amount: 200, currency: 'KES' },
  },
  { expected: FEE, body: { amount: 200 } },
  { expected: FEE, body: { amount: 200 }, live: true },
  {
    expected: unverified('charges'),
    live: true,
    fault: { kycStatus: 'pending' },
    cured: { kycStatus: 'verified' },
  },
]
for (const refusal of DOMAIN)
  test(`"${refusal.expected.error}" is kept under the key of a link (${caseOf(refusal)})`, async () => {
    const { expected, live, fault, cured } = refusal
    const merchant = await service.merchant({ verified: !fault?.kycStatus })
    if (fault) await service.set(merchant, fault)
    const api = service.client(live ? merchant.keys.live : merchant.keys.test)
    const body = { ...LINK, ...(refusal.body as object) }
    const sent = { api, path: LINKS, body, expected, digest: service.digest, keyless: true } as const
    await assertKept(sent, async () => cured && service.set(merchant, cured))
    assert.equal((await api.post(LINKS, body)).status, cured && body.amount === LINK.amount ? 201 : 400)
  })

const FORM: [unknown, string][] = [
  ['[]', 'body must be a JSON object'],
  [NOTHING, 'amount must be an integer'],
  [{ amount: null }, 'amount must be an integer'],
  [{ amount: '5000' }, 'amount must be an integer'],
  [{ amount: 5000.5 }, 'amount must be an integer'],
  [{ amount: true }, 'amount must be an integer'],
  [{ currency: 7 }, 'currency must be a string'],
  [{ description: ['eggs'] }, 'description must be a string'],
  [{ description: 'd'.repeat(1001) }, 'description must be at most 1000 characters'],
  [{ description: 'a\u0000b' }, 'body contains control characters'],
  [{ reference: 17 }, 'reference must be a string'],
  [{ reference: 'r'.repeat(256) }, 'reference must be at most 255 characters'],
  [{ reference: 'a\nb' }, 'reference contains control characters'],
  [{ success_url: 'shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: '//shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: ' https://shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: 'https://bank.example@shop.example' }, 'success_url must be an http or https URL'],
  [{ success_url: 'javascript:alert(1)' }, 'success_url must be an http or https URL'],
  [{ success_url: 'https://shop.example/\r\nSet-Cookie: a=b' }, 'success_url contains control characters'],
  [{ success_url: `https://x/${'a'.repeat(2039)}` }, 'success_url must be at most 2048 characters'],
  [{ success_url: {} }, 'success_url must be a string'],
  [{ cancel_url: 'data:text/html,x' }, 'cancel_url must be an http or https URL'],
  [{ cancel_url: 7 }, 'cancel_url must be a string'],
  [{ success_url: 'x', cancel_url: 'y', allow_multiple_uses: 1 }, 'success_url must be an http or https URL'],
  [{ cancel_url: 'y', allow_multiple_uses: 1 }, 'cancel_url must be an http or https URL'],
  [{ allow_multiple_uses: 1 }, 'allow_multiple_uses must be true or false'],
  [{ allow_multiple_uses: 'true' }, 'allow_multiple_uses must be true or false'],
  [{ metadata: 'x' }, 'metadata must be an object'],
  [{ metadata: { order: 7 } }, 'metadata.order must be a string; write it in quotes: "7"'],
  [{ metadata: 1, allow_multiple_uses: 1 }, 'allow_multiple_uses must be true or false'],
]
for (const [body, problem] of FORM)
  test(`a fault of form: ${problem} (${JSON.stringify(body).slice(0, 60)})`, () => {
    const faulty = typeof body === 'string' || body === NOTHING ? body : { ...LINK, ...(body as object) }
    const sent = { api, path: LINKS, body: faulty, expected: invalid(problem), keyless: true } as const
    return assertFree({ ...sent, digest: service.digest }, LINK)
  })

test('form comes before rules: of an inactive, unverified merchant too', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { active: false })
  const own = service.client(merchant.keys.live)
  assertRefused(
    await own.post(LINKS, { amount: 0, success_url: 'x' }),
    invalid('success_url must be an http or https URL'),
  )
  assertRefused(await own.post(LINKS, { amount: 0 }), INACTIVE)
})

test('the longest texts pass, counted in characters', async () => {
  const body = {
    amount: 5000,
    description: '🥚'.repeat(1000),
    reference: '🥚'.repeat(255),
    success_url: `https://x/${'🥚'.repeat(2038)}`,
    cancel_url: `https://x/${'a'.repeat(2038)}`,
  }
  const made = (await api.post(LINKS, body)).body
  for (const [name, value] of Object.entries(body)) assert.equal(made[name], value, name)
  assert.deepEqual((await api.get(`${LINKS}/${made.id}`)).body, made)
})

test('as many a minute as the setting says are accepted for each merchant and mode, refused ones given back', async (context) => {
  const env = { RATE_LIMIT_PAYMENT_LINKS: '5' }
  const limited = await startService({ database: service.database, clock: service.clock, env })
  context.after(() => limited.close())
  const merchant = await service.merchant({ verified: true })
  const own = limited.client(merchant.keys.test)
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await own.post(LINKS, { amount: 'x' })).status, 400)
    assert.equal((await own.post(LINKS, LINK)).status, 201)
  }
  const refused = await own.post(LINKS, LINK)
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/)
  assert.equal((await limited.client(merchant.keys.live).post(LINKS, LINK)).status, 201)
  assert.equal((await own.get(LINKS)).status, 200)
})
