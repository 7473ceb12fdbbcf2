import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import fc from 'fast-check'
import { copiedRows } from '../../test/helpers/database/copied-rows.ts'
import { startService, type TestService } from '../../test/helpers/service/test-service.ts'
import { isTemporary } from '../platform/db/errors.ts'
import type { Mode } from '../platform/mode.ts'
import type { FloorAccount } from './accounts.ts'
import { type LedgerHead, lockHeads, MonthClosed, openBook, type Posting } from './book.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

const AT = new Date('2026-02-01T00:00:00Z')
const headOf = (merchantId: number, mode: Mode, facts: Partial<LedgerHead> = {}): LedgerHead => ({
  merchantId,
  mode,
  available: 0,
  pending: 0,
  in_flight: 0,
  seq: 0,
  payoutsPausedBy: null,
  payoutsFrozenFor: null,
  closedUntil: null,
  ...facts,
})

const SHAPES = [
  { kind: 'charge_net', debit: 'rail:op1_momo', credit: 'pending' },
  { kind: 'charge_net', debit: 'rail:op1_momo', credit: 'available' },
  { kind: 'charge_fee', debit: 'rail:op1_momo', credit: 'fees' },
  { kind: 'hold_release', debit: 'pending', credit: 'available' },
  { kind: 'test_funds', debit: 'sandbox', credit: 'available' },
] as const
const posting = fc.record({
  shape: fc.constantFrom(...SHAPES),
  merchantId: fc.integer({ min: 1, max: 3 }),
  mode: fc.constantFrom('test' as const, 'live' as const),
  amount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000 })),
})
type Drawn = { shape: (typeof SHAPES)[number]; merchantId: number; mode: Mode; amount: number }

const asPosting = ({ shape, ...rest }: Drawn, index: number): Posting => ({
  ...shape,
  ...rest,
  subject: `s${index}`,
})
const breaksFloor = (head: LedgerHead, { debit, amount }: Posting) =>
  ['available', 'pending', 'in_flight'].includes(debit) && head[debit as FloorAccount] < amount

test('random postings: heads are the sum of their transfers, numbers have no gap, and no floor ever breaks', () => {
  fc.assert(
    fc.property(fc.array(posting, { maxLength: 60 }), (drawn) => {
      const heads = [1, 2, 3].flatMap((id) => [headOf(id, 'test'), headOf(id, 'live')])
      const book = openBook(heads, AT)
      const posted: Posting[] = []
      for (const one of drawn.map(asPosting)) {
        if (breaksFloor(book.head(one.merchantId, one.mode), one)) continue
        book.post(one)
        if (one.amount > 0) posted.push(one)
      }
      const [headWrites, transferWrites] = book.writes()
      assert.equal(headWrites === undefined, posted.length === 0, 'nothing posted, nothing written')
      const seqs = transferWrites ? copiedRows(transferWrites).map((row) => Number(row[2]?.readBigInt64BE())) : []
      for (const head of heads) {
        const own = posted.filter(({ merchantId, mode }) => merchantId === head.merchantId && mode === head.mode)
        assert.equal(head.seq, own.length)
        assert.deepEqual(
          seqs.filter((_, index) => posted[index] && own.includes(posted[index])),
          own.map((_, index) => index + 1),
        )
        for (const account of ['available', 'pending', 'in_flight'] as const) {
          const sum = own.reduce(
            (total, { debit, credit, amount }) =>
              total + (credit === account ? amount : 0) - (debit === account ? amount : 0),
            0,
          )
          assert.equal(head[account], sum)
          assert.ok(head[account] >= 0)
        }
      }
    }),
  )
})

test('a posting that would go below a floor by one shilling throws', () => {
  const release = (amount: number): Posting => ({
    merchantId: 1,
    mode: 'live',
    kind: 'hold_release',
    subject: 'setl_1',
    debit: 'pending',
    credit: 'available',
    amount,
  })
  openBook([headOf(1, 'live', { pending: 100 })], AT).post(release(100))
  assert.throws(() => openBook([headOf(1, 'live', { pending: 100 })], AT).post(release(101)), /keeps every floor/)
})

test('a posting is a whole amount, never negative, on a locked head', () => {
  const funds = (amount: number, merchantId = 1): Posting => ({
    merchantId,
    mode: 'test',
    kind: 'test_funds',
    subject: 'fund_1',
    debit: 'sandbox',
    credit: 'available',
    amount,
  })
  const book = () => openBook([headOf(1, 'test')], AT)
  for (const amount of [-1, 0.5, Number.NaN, 2 ** 53]) assert.throws(() => book().post(funds(amount)), /whole amount/)
  assert.throws(() => book().post(funds(5, 2)), /is locked/)
  const nothing = book()
  nothing.post(funds(0))
  assert.deepEqual(nothing.writes(), [])
})

test('a closed month takes no further posting', () => {
  const closed = (until: string) =>
    openBook([headOf(1, 'live'), headOf(2, 'live', { closedUntil: new Date(until) })], AT)
  assert.throws(() => closed('2026-02-01T00:00:00.001Z'), MonthClosed)
  closed('2026-02-01T00:00:00Z')
  closed('2026-01-31T00:00:00Z')
})

/** A crowded machine refuses the last of many, or stands still until the server gives one up; that one looks, and comes again. */
async function postAtLast(subject: string, work: Parameters<typeof service.app.db.transaction>[0]): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await service.app.db.transaction(work)
      return
    } catch (error) {
      if (!isTemporary(error) || tries === 20) throw error
      const posted = await service.rows('select 1 from cell_0.transfers where subject = $1', [subject])
      if (posted.length > 0) return
    }
}

test('the database has exactly what was written: heads locked in order, numbers without a gap, with 20 at once', async () => {
  await Promise.all([service.merchant(), service.merchant()])
  const ids = (await service.rows<{ id: string }>('select id from cell_0.merchants order by id')).map(({ id }) =>
    Number(id),
  )
  await Promise.all(
    Array.from({ length: 20 }, (_, nth) =>
      postAtLast(`fund_${nth}`, async (tx) => {
        const pairs = ids.map((merchantId) => ({ merchantId, mode: 'test' as const }))
        const [heads] = await tx.send(lockHeads(nth % 2 === 0 ? pairs : pairs.reverse()))
        const book = openBook(heads, service.clock.now())
        for (const merchantId of ids)
          book.post({
            ...{ merchantId, mode: 'test', kind: 'test_funds', subject: `fund_${nth}` },
            ...{ debit: 'sandbox', credit: 'available', amount: nth + 1 },
          })
        return { value: null, last: book.writes() }
      }),
    ),
  )
  const heads = await service.rows(
    `select h.available::int, h.seq::int, count(t.*)::int as transfers, max(t.seq)::int as last, sum(t.amount)::int as sum
     from ledger_heads h join transfers t using (merchant_id, mode) group by h.merchant_id, h.mode, h.available, h.seq`,
  )
  assert.equal(heads.length, ids.length)
  for (const head of heads) assert.deepEqual(head, { available: 210, seq: 20, transfers: 20, last: 20, sum: 210 })
})
