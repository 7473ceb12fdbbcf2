import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { pay } from '../../helpers/payments/payouts.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Reply, startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService({ env: { SANDBOX_OUTCOME_SECONDS: '1' } }))

const FUNDS = 100_000_000
const newPayers = (count: number) => Promise.all(Array.from({ length: count }, () => payer(service, FUNDS)))
const link = ({ api }: Payer) => api.post('/v1/payment-links', { title: 'Socks', amount: 5000 })
const bulk = ({ api }: Payer, items: number) => api.post('/v1/payouts/bulk', { payouts: linesOf(items) })
const linesOf = (items: number) =>
  Array.from({ length: items }, (_, nth) => ({
    amount: 500,
    channel: 'op1_momo',
    recipient: { phone: '0700000000' },
    reference: `P-${nth}-${Math.random()}`,
  }))
/** Repeats a call until it is accepted, as a client does that is told to come again. */
async function bulkUntilTaken({ api }: Payer, items: number): Promise<Reply> {
  const [body, headers] = [{ payouts: linesOf(items) }, { 'idempotency-key': randomUUID() }]
  for (;;) {
    const reply = await api.post('/v1/payouts/bulk', body, headers)
    if (reply.status !== 503) return reply
  }
}
function assertAll(replies: readonly Reply[], wanted: number): void {
  const others = replies.filter(({ status }) => status !== wanted)
  assert.equal(others.length, 0, `${others.length} of ${replies.length}: ${others[0]?.status} ${others[0]?.text}`)
}
/** The ordinary calls of these merchants, all at once. */
const usualDay = (payers: readonly Payer[]) =>
  Promise.all(
    payers.flatMap((payer) => [
      ...Array.from({ length: 8 }, () => payer.api.charge()),
      ...Array.from({ length: 3 }, () => pay(payer.api)),
      link(payer),
    ]),
  )

/** Holds the balance rows of one merchant, as a forgotten transaction would. */
async function holdingHeads(merchantId: number, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  try {
    await client.query('begin')
    const held = await client.query(
      `select 1 from ${service.app.cell}.ledger_heads where merchant_id = $1 for update`,
      [merchantId],
    )
    assert.ok((held.rowCount ?? 0) > 0)
    await work()
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

longTest(
  "C16: while one merchant's balance row is locked, all others' charges, payouts and links go on without a 503",
  async () => {
    const [stuck, ...others] = (await newPayers(9)) as [Payer, ...Payer[]]
    const blocked: Promise<Reply>[] = []
    const wantsOut = () =>
      blocked.push(
        ...Array.from({ length: 12 }, () => bulk(stuck, 3)),
        ...Array.from({ length: 12 }, () => pay(stuck.api)),
      )
    await holdingHeads(stuck.merchantId, async () => {
      for (let round = 0; round < 3; round += 1) {
        wantsOut()
        const replies = await usualDay(others)
        assertAll(
          replies.filter(({ status }) => status !== 200),
          201,
        )
      }
      assertAll(await Promise.all(Array.from({ length: 5 }, () => stuck.api.charge())), 201)
      assertAll([await stuck.api.get('/v1/payouts')], 200)
    })
    const heard = await Promise.all(blocked)
    assert.ok(
      heard.every(({ status }) => [200, 201, 503].includes(status)),
      String(heard.map(({ status }) => status)),
    )
    assert.equal((await pay(stuck.api)).status, 201, 'and at once again when the row is free')
  },
)

longTest('C16: during thirty bulk calls of one merchant, all calls of others are answered', async () => {
  const [busy, ...others] = (await newPayers(7)) as [Payer, ...Payer[]]
  const bulks = Promise.all(Array.from({ length: 30 }, () => bulkUntilTaken(busy, 250)))
  let isDone = false
  bulks.finally(() => {
    isDone = true
  })
  for (let round = 0; round < 20 && !isDone; round += 1)
    assertAll(
      (await usualDay(others)).filter(({ status }) => status !== 200),
      201,
    )
  assertAll(await bulks, 200)
  const [paid] = await service.rows<{ count: number }>(
    'select count(*)::int as count from payouts where merchant_id = $1',
    [busy.merchantId],
  )
  assert.equal(paid?.count, 30 * 250)
})

test('C16: while a balance row is locked, the charges of others still end', async () => {
  const [stuck, other] = (await newPayers(2)) as [Payer, Payer]
  await Promise.all([stuck, other].flatMap(({ api }) => Array.from({ length: 5 }, () => api.charge())))
  service.pass(60_000)
  const openOf = async ({ merchantId }: Payer) =>
    (await service.rows(`select 1 from charges where merchant_id = $1 and status <> 'succeeded'`, [merchantId])).length
  await holdingHeads(stuck.merchantId, async () => {
    const giveUpAt = performance.now() + 60_000
    // A run ends with an error at the locked row; the next one continues with what is left.
    while ((await openOf(other)) > 0 && performance.now() < giveUpAt) await service.run('follow-charges').catch(() => 0)
    assert.deepEqual([await openOf(other), await openOf(stuck)], [0, 5])
  })
  service.pass(3_600_000)
  await service.run('follow-charges')
  assert.equal(await openOf(stuck), 0)
})

longTest('C13: every connection is busy for 300 ms: nobody gets a 503 for that', async () => {
  const [one] = (await newPayers(1)) as [Payer]
  const { pool } = service.app.db
  const kinds = ['outcome', 'in', 'in', 'out', 'out', 'out'] as const
  const held = kinds.map((kind) =>
    service.app.db.transactionFor({ kind, begun: true }, async (tx) => {
      await tx.send({ statement: { name: 'idle', text: 'select pg_sleep(0.5)' }, values: [] } as never)
      return { value: null }
    }),
  )
  const replies = await usualDay([one])
  assertAll(
    replies.filter(({ status }) => status !== 200),
    201,
  )
  await Promise.all(held)
  assert.equal(pool.totalCount, kinds.length)
})
