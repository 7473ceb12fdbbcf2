import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { refundCharge } from '../../../src/payments/refunds/refund-charge.ts'
import { openWire } from '../../helpers/database/cut-wire.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { owner } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// The connection is lost after the server has committed some refunds, before it says so (F6).
const env = { RATE_LIMIT_REFUNDS: '0', RATE_LIMIT_PAYOUTS: '0' }
const wire = opened(() => openWire())
const service = openedAndVerified(() => startService({ env, database: wire.behind }))

for (const count of [1, 4])
  test(`${count} refunds whose commit was not answered are answered as done, each once`, async () => {
    const shop = await payer(service, 100_000)
    const made = await Promise.all(
      Array.from({ length: count }, () => shop.api.charge({ customer: { phone: newPayer() } })),
    )
    const ids: string[] = made.map(({ body }) => body.id)
    service.pass(2000)
    await service.run('follow-charges')
    const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
    const place = {
      merchantId: merchant.id,
      tag: merchant.tag,
      cell: service.app.cell,
      mode: 'test',
    } as const
    wire.proxy.cutNextCommit('before its answer')
    // In one turn of the event loop, so that they share one commit.
    const refunded = await Promise.all(ids.map((chargeId) => refundCharge(service.app, owner(place), { chargeId })))
    for (const [index, { charge, payout }] of refunded.entries()) {
      assert.deepEqual([charge.id, charge.status], [ids[index], 'refunded'])
      const rows = await service.rows('select id from payouts where charge_id = $1', [charge.id])
      assert.deepEqual(rows, [{ id: payout?.id }])
      const events = await service.rows(`select 1 from events where subject = $1 and type = 'charge.refunded'`, [
        charge.id,
      ])
      assert.equal(events.length, 1)
      await assert.rejects(refundCharge(service.app, owner(place), { chargeId: charge.id }), {
        ...{ status: 400, code: 'already_refunded' },
      })
    }
  })
