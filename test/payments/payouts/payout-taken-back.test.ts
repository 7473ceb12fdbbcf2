import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { payoutMoves } from '../../../src/payments/payouts/move-payout.ts'
import { openWire } from '../../helpers/database/cut-wire.ts'
import { gate } from '../../helpers/database/gate.ts'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { pay, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'

// A payout is taken back and the answer to that COMMIT is lost: the caller must not be told of a payout that does not exist.
const FUNDS = 500_000
const wire = opened(openWire)
const service = openedAndVerified(() => startPayingService({ database: wire.behind }))

/** Holds the merchant's ledger head, so that transactions that end payouts queue behind it. */
async function holdingHead(merchantId: string, work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({
    connectionString: wire.database.url,
    options: `-c search_path=${service.app.cell},directory`,
  })
  await holder.connect()
  try {
    await holder.query('begin')
    const held = await holder.query(
      `select 1 from ledger_heads h join merchants m on m.id = h.merchant_id where m.public_id = $1 and h.mode = 'live' for update of h`,
      [merchantId],
    )
    assert.equal(held.rowCount, 1)
    await work()
    await holder.query('rollback')
  } finally {
    await holder.end()
  }
}

const UNSERVED = [
  { answer: 'refuse to serve', status: 503, code: 'rail_unavailable' },
  { answer: 'bar the account', status: 400, code: 'rail_unavailable' },
] as const

for (const { answer, status } of UNSERVED)
  test(`M6: "${answer}" is answered ${status}, although the answer to the COMMIT that took the payouts back was lost`, async () => {
    const { merchant, live } = await richShop(service, FUNDS)
    const [first, rest] = [gate(), gate()]
    const order = (until: Promise<void>) => {
      const phone = newPayer()
      service.operator.onSubmit({ answer, until }, phone)
      return { recipient: { phone } }
    }
    const before = service.operator.submits()
    const leading = pay(live, order(first.opened))
    const keys = [1, 2, 3].map((nth) => ({ key: `${answer} ${nth}`, body: order(rest.opened) }))
    const others = keys.map(({ key, body }) => pay(live, body, { 'idempotency-key': key }))
    await eventually('the operator has all four', () => service.operator.submits() === before + 4)
    await holdingHead(merchant.id, async () => {
      first.open()
      await somebodyWaits(service)
      rest.open()
      await eventually('the others wait behind it', () => payoutMoves(service.app).waiting() === 3)
      wire.proxy.cutNextCommit('before its answer', 1)
    })
    assert.equal((await leading).status, status)
    for (const [nth, reply] of (await Promise.all(others)).entries()) {
      assert.equal(reply.status, status, reply.text)
      const { key, body } = keys[nth] as (typeof keys)[number]
      service.operator.onSubmit({ answer: 'accept' }, body.recipient.phone)
      const again = await pay(live, body, { 'idempotency-key': key })
      const kept = status === 400
      assert.deepEqual(
        [again.status, again.headers.get('idempotent-replayed')],
        kept ? [400, 'true'] : [201, null],
        'the key is free, or keeps the refusal',
      )
    }
    const shown = (await live.get('/v1/payouts')).body.data
    assert.equal(shown.length, status === 400 ? 0 : 3)
    assert.deepEqual(await balanceOf(live), { available: FUNDS - shown.length * 5200, pending: 0 })
  })
