import assert from 'node:assert/strict'
import { startService } from '../service/test-service.ts'
import { fundTest } from '../vending/paid-orders.ts'
import { monthNow } from './statements.ts'

/**
 * A service with a merchant that has money, three paid charges, one of which is to be refunded, and the running month: what a program on a
 * generated client needs to know, as its environment.
 */
export async function readyToRefund(work: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const service = await startService()
  try {
    const merchant = await service.merchant()
    const [row] = await service.rows<{ merchantId: number; tag: string }>(
      'select id as "merchantId", tag from merchants where public_id = $1',
      [merchant.id],
    )
    assert.ok(row)
    await fundTest(service, row, 100_000)
    const client = service.client(merchant.keys.test)
    const charged = [await client.charge(), await client.charge(), await client.charge()]
    service.pass(3000)
    while ((await service.run('follow-charges')) > 0);
    await work({
      ...process.env,
      GATEWAY_URL: service.url,
      GATEWAY_KEY: merchant.keys.test,
      CHARGE_ID: charged[0]?.body.id,
      PERIOD: monthNow(service),
    })
  } finally {
    await service.close()
  }
}
