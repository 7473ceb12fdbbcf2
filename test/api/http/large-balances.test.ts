import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from '../../../src/program/settings/config.ts'
import { WrongSettings } from '../../../src/program/settings/setting-readers.ts'
import { monthNow } from '../../helpers/payments/statements.ts'
import { opened } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'

const LARGEST = 10 ** 12
// What a head may hold: 10^14 below the largest whole number, kept for what nobody counts beforehand.
const MOST = Number.MAX_SAFE_INTEGER - 10 ** 14
const FULL = {
  error: 'amount exceeds what the balance of this account can still hold',
  code: 'amount_too_large',
}

const service = opened(() => startService({ env: { AMOUNT_MAX: String(LARGEST) } }))

type Rich = { api: Client; merchantId: number; tag: string }

/** A merchant whose head holds `amount` of test money, with the transfer that brought it. */
async function rich(amount: number): Promise<Rich> {
  const merchant = await service.merchant()
  const { id: merchantId, tag } = await idOf(merchant.id)
  const at = service.clock.now().toISOString()
  if (amount > 0) {
    await service.rows(
      `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
       values ($1, 'test', 1, 'test_funds', 'fund_large', 'sandbox', 'available', $2, $3)`,
      [merchantId, amount, at],
    )
    await service.rows(`update ledger_heads set available = $2, seq = 1 where merchant_id = $1 and mode = 'test'`, [
      merchantId,
      amount,
    ])
  }
  return { api: service.client(merchant.keys.test), merchantId, tag }
}

async function idOf(publicId: string): Promise<{ id: number; tag: string }> {
  const [row] = await service.rows<{ id: number; tag: string }>('select id, tag from merchants where public_id = $1', [
    publicId,
  ])
  assert.ok(row)
  return row
}

const charge = (api: Client, amount: number) =>
  api.charge({ amount, channel: 'op1_momo', customer: { phone: '0772000111' } })

async function succeedAll(): Promise<void> {
  service.pass(3000)
  while ((await service.run('follow-charges')) > 0);
}

const balanceOf = async ({ api }: Rich) => (await api.get('/v1/balance')).body

test('C20: the largest amount of one transaction is 10^12, and a larger setting stops the start', () => {
  assert.throws(
    () => readConfig({ AMOUNT_MAX: '1000000000001' }),
    (error) =>
      error instanceof WrongSettings && error.message === 'AMOUNT_MAX must be a whole number from 1 to 1000000000000',
  )
  assert.equal(readConfig({ AMOUNT_MAX: '1000000000000' }).amountMax, LARGEST)
})

test('C20: a charge that the balance could not hold is refused when it is created, under its key', async () => {
  const owner = await rich(MOST - 10_000)
  assert.equal((await charge(owner.api, 10_000)).status, 201)
  const key = { 'idempotency-key': 'full' }
  const body = { amount: 201, channel: 'op1_momo', customer: { phone: '0772000111' } }
  const refused = await owner.api.charge(body, key)
  assert.equal(refused.status, 400)
  assert.deepEqual({ error: refused.body.error, code: refused.body.code }, FULL)
  assert.equal((await owner.api.charge(body, key)).text, refused.text, 'a domain refusal is kept')
  await succeedAll()
  const { balances, consistent } = await balanceOf(owner)
  assert.equal(consistent, true)
  assert.equal(balances[0].available, MOST - 200)
})

test('C20: parallel charges near the end never promise more than fits', async () => {
  const owner = await rich(MOST - 5 * LARGEST)
  const answers = await Promise.all(Array.from({ length: 20 }, () => charge(owner.api, LARGEST)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 5)
  for (const { status, body } of answers)
    if (status !== 201) assert.deepEqual({ error: body.error, code: body.code }, FULL)
  await succeedAll()
  const { balances } = await balanceOf(owner)
  assert.equal(balances[0].total, MOST - 5 * 5000)
  const listed = await owner.api.get('/v1/charges?status=succeeded')
  assert.equal(listed.body.data.length, 5, 'whoever was asked to pay has paid')
})

test('C20: a payment on a page that the balance could not hold is refused before anybody is asked to pay', async () => {
  const owner = await rich(MOST - 10_000)
  const pays = { channel: 'op1_momo', phone: '0772000111' }
  const submit = async () => {
    const made = await owner.api.post('/v1/payment-links', { amount: 8000 })
    const guest = browserOf(service)
    return (await guest.post(`/pay/${made.body.id}/submit`, pays)).status
  }
  assert.equal(await submit(), 302)
  const before = await service.digest()
  const made = await owner.api.post('/v1/payment-links', { amount: 8000 })
  const linked = await service.digest()
  assert.notEqual(linked, before)
  assert.equal((await browserOf(service).post(`/pay/${made.body.id}/submit`, pays)).status, 409)
  assert.equal(await service.digest(), linked, 'zero writes')
})

test('C20: a large charge of an empty account passes, and so does an ordinary one beside it', async () => {
  const owner = await rich(0)
  assert.equal((await charge(owner.api, LARGEST)).status, 201)
  assert.equal((await charge(owner.api, 5000)).status, 201)
})

test('C20: balance, statement and its PDF show sums beyond the largest whole number, digit for digit', async () => {
  const owner = await rich(0)
  await plantCharge(owner, { id: 'a', seq: 1, kind: 'charge_net', credit: 'available' })
  await plantCharge(owner, { id: 'b', seq: 3, kind: 'split_share', credit: 'sub_available:sub_1' })
  const month = monthNow(service)
  const { status, text } = await owner.api.get(`/v1/statements/${month}`)
  assert.equal(status, 200, text)
  assert.match(text, /"closing_balance":5999999999995000[,}]/)
  assert.match(text, /"totals":\{"gross_in":12000000000000000,"gift_cards":0,"collected_net":11999999999990000,/)
  assert.match(text, /"adjustments_net":-5999999999995000,/)
  assert.equal((await owner.api.get(`/v1/statements/${month}.pdf`)).status, 200)
  assert.equal((await balanceOf(owner)).balances[0].available, 5_999_999_999_995_000)
})

const HUGE = 6 * 10 ** 15

/** A charge of 6,000,000,000,000,000 as an earlier release could store it, its net posted to `credit`. */
async function plantCharge(
  { merchantId, tag }: Rich,
  { id, seq, kind, credit }: { id: string; seq: number; kind: string; credit: string },
): Promise<void> {
  const at = service.clock.now().toISOString()
  const subject = `txn_${tag}huge${id}`
  await service.rows(
    `insert into charges (merchant_id, id, mode, status, amount, fee, channel, phone, phone9, rail_reference, published,
       created_at, completed_at, hold_until, settled_at)
     values ($1, $2, 'test', 'succeeded', $3, 5000, 'op1_momo', '256772000111', '772000111', $2, true, $4, $4, $4, $4)`,
    [merchantId, subject, HUGE, at],
  )
  await service.rows(
    `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at) values
       ($1, 'test', $2, $3, $4, 'rail:op1_momo', $5, $6, $7),
       ($1, 'test', $2 + 1, 'charge_fee', $4, 'rail:op1_momo', 'fees', 5000, $7)`,
    [merchantId, seq, kind, subject, credit, HUGE - 5000, at],
  )
  await service.rows(
    `update ledger_heads set available = available + $2, seq = $3 where merchant_id = $1 and mode = 'test'`,
    [merchantId, credit === 'available' ? HUGE - 5000 : 0, seq + 1],
  )
}
