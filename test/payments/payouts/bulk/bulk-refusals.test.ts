import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { openException } from '../../../../src/payments/exceptions/exception.ts'
import { readOpenExceptions, resolveException } from '../../../../src/payments/exceptions/resolve-exception.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { FROZEN, INACTIVE, KEY_REUSED, PAUSED, unverified } from '../../../api/http/known-refusals.ts'
import { assertRefused, badRequest, invalid, type Refused, TOO_LARGE } from '../../../api/http/refused.ts'
import { type Payer, payer } from '../../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../../helpers/service/test-service.ts'

const service = opened(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 1_000_000))

const BULK = '/v1/payouts/bulk'
const ONE = { amount: 1000, phone: '0700000000' }
const GOOD = { payouts: [ONE] }
const NO_ITEMS = badRequest('no payout items provided (JSON {payouts:[...]} or CSV)')
const TOO_MANY = badRequest('batch too large (max 1000 items per call)')
const MAYBE_CSV = 'body is not valid JSON; is it CSV? then send Content-Type: text/csv'
const curl = { 'content-type': 'application/x-www-form-urlencoded' }
const spreadsheet = { 'content-type': 'application/vnd.ms-excel' }
const csv = { 'content-type': 'text/csv' }
const form = { 'content-type': 'multipart/form-data; boundary=cut' }
const part = (name: string) =>
  `--cut\r\ncontent-disposition: form-data; name="${name}"; filename="${name}.csv"\r\n\r\nphone,amount\r\n0700000000,1000\r\n`
const rows = (count: number) => `phone,amount\n${'0700000000,1000\n'.repeat(count)}`

const keysOf = (key: string) =>
  service.rows<{ status: number | null }>('select status from idempotency_keys where key = $1', [key])
const batches = async () => (await service.rows('select 1 from bulk_batches')).length
const bulk = (api: Client, body: unknown, headers = {}) => api.post(BULK, body, headers)

const ONE_CELL = 'cells are separated by commas, semicolons or tabs'
const lacks = (found: string) => invalid(`CSV header must name phone and amount; its first line is ${found}`)
const UNREADABLE: [string, unknown, Record<string, string>, Refused][] = [
  ['nothing at all', undefined, {}, NO_ITEMS],
  ['an empty object', {}, {}, NO_ITEMS],
  ['an empty list', { payouts: [] }, {}, NO_ITEMS],
  ['an empty list under the other name', { items: [] }, {}, NO_ITEMS],
  ['an empty list that wins over a full one', { payouts: [], items: [ONE] }, {}, NO_ITEMS],
  ['an empty CSV', '', csv, NO_ITEMS],
  ['a CSV that is only a header', 'phone,amount\n', csv, NO_ITEMS],
  ['1,001 items', { payouts: Array(1001).fill(ONE) }, {}, TOO_MANY],
  ['1,001 rows', rows(1001), csv, TOO_MANY],
  ['an object as list', { payouts: ONE }, {}, invalid('payouts must be a list')],
  ['a text as list under the other name', { items: 'x' }, {}, invalid('items must be a list')],
  ['a list as body', [ONE], {}, invalid('body must be a JSON object')],
  ['a number as channel', { channel: 5, payouts: [ONE] }, {}, invalid('channel must be a string')],
  ['what is no JSON', '{"payouts":', {}, invalid('body is not valid JSON')],
  ['C12: a CSV called JSON', rows(1), {}, invalid(MAYBE_CSV)],
  ['C12: a CSV called what curl calls it', rows(1), curl, invalid(MAYBE_CSV)],
  ['C12: a CSV called a spreadsheet', rows(1), spreadsheet, invalid(MAYBE_CSV)],
  ['a CSV without amount', 'phone\n0700000000\n', csv, lacks(`one cell, "phone"; ${ONE_CELL}`)],
  ['a CSV without phone', 'amount\n1000\n', csv, lacks(`one cell, "amount"; ${ONE_CELL}`)],
  ['a CSV without header', '0700000000,1000\n', csv, lacks('"0700000000", "1000"')],
  ['a form without a file', '--cut--\r\n', form, invalid('multipart body must hold exactly one file')],
  [
    'a form with two files',
    `${part('a')}${part('b')}--cut--\r\n`,
    form,
    invalid('multipart body must hold exactly one file'),
  ],
  ['more than 4 MiB', `{"payouts":[],"note":"${'x'.repeat(4 * 1024 * 1024)}"}`, {}, TOO_LARGE],
]

for (const [what, body, headers, refusal] of UNREADABLE)
  test(`a bulk call with ${what} is refused, writes nothing and leaves its key free`, async () => {
    const key = { 'idempotency-key': `free: ${what}` }
    const [before, stored] = [await service.digest(), await batches()]
    assertRefused(await bulk(shop.api, body, { ...headers, ...key }), refusal)
    assert.deepEqual([await service.digest(), await batches()], [before, stored])
    assert.deepEqual(await keysOf(key['idempotency-key']), [])
    const good = await bulk(shop.api, GOOD, key)
    assert.deepEqual([good.status, good.headers.get('idempotent-replayed')], [200, null])
    assert.equal(good.body.accepted, 1)
  })

test('a body of exactly 4 MiB is taken', async () => {
  const [head, tail] = ['{"payouts":[{"amount":1000,"phone":"0700000000"}],"note":"', '"}']
  const filled = head + 'x'.repeat(4 * 1024 * 1024 - head.length - tail.length) + tail
  assert.equal((await bulk(shop.api, filled)).body.accepted, 1)
  assertRefused(await bulk(shop.api, `${filled} `), TOO_LARGE)
})

async function pause({ merchantId, tag }: Payer, mode: Mode) {
  const found = {
    merchantId,
    tag,
    mode,
    kind: 'mismatch' as const,
    subject: `pout_${mode}`,
    details: {},
  }
  await service.app.db.transaction(async (tx) => {
    await tx.send(...openException(found, service.clock.now()))
    return { value: null }
  })
}
async function resolveAll({ merchantId }: Payer) {
  for (const { id } of await readOpenExceptions(service.app, merchantId))
    await resolveException(service.app, BY_HAND, {
      merchantId,
      id,
      note: 'looked into',
      resolution: 'no_difference',
    })
}

test('an account with every fault is refused for the first of them: inactive, unverified, frozen, paused', async () => {
  const own = await payer(service)
  const api = service.client(own.merchant.keys.live)
  await service.set(own.merchant, { active: false, kycStatus: 'pending' })
  await freezePlatform(service.gateway, BY_HAND, 'drill')
  await freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason: 'drill' })
  await pause(own, 'live')
  const replies: [Reply, Refused, string][] = []
  const refused = async (refusal: Refused, cure: () => Promise<unknown>) => {
    const key = `kept: ${refusal.code} ${replies.length}`
    const before = [await service.digest(), await batches()]
    const reply = await bulk(api, GOOD, { 'idempotency-key': key })
    assertRefused(reply, refusal)
    assert.deepEqual([await service.digest(), await batches()], before, 'zero writes')
    replies.push([reply, refusal, key])
    await cure()
  }
  await refused(INACTIVE, () => service.set(own.merchant, { active: true }))
  await refused(unverified('payouts'), () => service.set(own.merchant, { kycStatus: 'verified' }))
  await refused(FROZEN, () => freezePlatform(service.gateway, BY_HAND, null))
  await refused(PAUSED, () => freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason: null }))
  await refused(PAUSED, () => resolveAll(own))
  for (const [first, , key] of replies) {
    const again = await bulk(api, GOOD, { 'idempotency-key': key })
    assert.equal(again.headers.get('idempotent-replayed'), 'true', 'a domain refusal is kept')
    assert.equal(again.text, first.text)
  }
  const running = await bulk(api, GOOD)
  assert.deepEqual([running.status, running.body.results[0].code], [200, 'insufficient_balance'])
})

test('in test mode the freezes and the missing verification stop nothing, the pause of test does', async () => {
  const own = await payer(service, 100_000)
  await service.set(own.merchant, { kycStatus: 'rejected' })
  await freezePlatform(service.gateway, BY_HAND, 'drill')
  await freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason: 'drill' })
  await pause(own, 'live')
  assert.equal((await bulk(own.api, GOOD)).body.accepted, 1)
  await freezePlatform(service.gateway, BY_HAND, null)
  await pause(own, 'test')
  assertRefused(await bulk(own.api, GOOD), PAUSED)
  await resolveAll(own)
  assert.equal((await bulk(own.api, GOOD)).body.accepted, 1)
})

test('a body that cannot be read is told before the account is looked at, items only after it', async () => {
  const own = await payer(service)
  await service.set(own.merchant, { active: false })
  assertRefused(await bulk(own.api, { payouts: [] }), NO_ITEMS)
  assertRefused(await bulk(own.api, { payouts: Array(1001).fill(null) }), TOO_MANY)
  assertRefused(await bulk(own.api, { payouts: [null] }), INACTIVE)
})

test('a CSV under a used key is another request, and so are other items under either name', async () => {
  const key = { 'idempotency-key': 'used once' }
  await bulk(shop.api, GOOD, key)
  const before = await service.digest()
  for (const body of [{ payouts: [ONE, ONE] }, { items: [ONE] }])
    assertRefused(await bulk(shop.api, body, key), KEY_REUSED)
  assertRefused(await bulk(shop.api, rows(1), { ...csv, ...key }), KEY_REUSED)
  assert.equal(await service.digest(), before)
})
