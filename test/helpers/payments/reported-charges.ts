import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import type { App } from '../../../src/program/app.ts'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import type { CustomerReport } from '../../../src/selling/disputes/report.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { eventsOf } from '../database/money-rows.ts'
import { CUSTOMER } from '../service/actors.ts'
import { newPayer, startLiveService } from '../service/live-service.ts'
import { opened, openedAndVerified } from '../service/opened.ts'
import type { Client } from '../service/test-service.ts'
import { succeed } from './following-charges.ts'

export const REPORT: CustomerReport = {
  reason: 'not_delivered',
  details: 'Nothing came.\n<b>Help</b>',
  contact: '0772 123 456',
}

/** A service that stores fifty reports a day for each merchant, and a receiver for the events about them. */
export function openReportedCharges() {
  const receiver = opened(() => startReceiver())
  const service = openedAndVerified(() =>
    startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, RATE_LIMIT_REPORTS_DAY: '50' } }),
  )

  /** Apps that share nothing but the database, like separate processes. */
  const processes = (count: number): App[] => Array.from({ length: count }, () => ({ ...service.app }))

  /** A verified shop, and how its customers report a charge. */
  async function shop() {
    const made = await service.shop()
    const merchantId = (await getMerchantNamed(service.gateway, made.merchant.id)).merchant.id
    const report = (chargeId: string, said: CustomerReport = REPORT, app: App = service.app) =>
      openDispute(app, CUSTOMER, { merchantId, chargeId, report: said })
    return { ...made, merchantId, report }
  }

  async function paid(api: Client, body: Record<string, unknown> = {}): Promise<string> {
    const made = await api.charge({ customer: { phone: newPayer() }, ...body })
    assert.equal(made.status, 201, made.text)
    if (made.body.mode === 'live') await succeed(service, made.body.id)
    else {
      service.pass(2000)
      await service.run('follow-charges')
    }
    return made.body.id
  }

  const disputesOf = (chargeId: string) =>
    service.rows<any>('select * from disputes where charge_id = $1 order by opened_at, id', [chargeId])

  /** The data of the one event of this dispute. */
  async function dataOf(disputeId: string): Promise<any> {
    const events = await eventsOf(service, disputeId)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['dispute.opened'],
    )
    return JSON.parse(events[0]?.body ?? '').data
  }

  return { receiver, service, processes, shop, paid, disputesOf, dataOf }
}
