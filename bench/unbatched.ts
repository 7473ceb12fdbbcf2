import { randomUUID } from 'node:crypto'
import { fingerprintRequest } from '../src/api/http/bodies/body-content.ts'
import { storePayouts } from '../src/payments/payouts/create-payout.ts'
import type { App } from '../src/program/app.ts'
import { fullKey } from '../test/helpers/service/actors.ts'
import { type BenchMerchant, type Stage, withGateway } from './stage.ts'

type Item = Parameters<typeof storePayouts>[1][number]

const WARM_MS = 500

/**
 * How many payouts of one merchant a second are accepted when each has a transaction of its own: the product's own code
 * without its batch and without HTTP, on as many connections as the service has for money. `outcomeSeconds` as the service
 * has it.
 */
export function unbatchedRate(
  stage: Stage,
  merchant: BenchMerchant,
  { ms, outcomeSeconds }: { ms: number; outcomeSeconds: number },
): Promise<number> {
  const config = { ...stage.config, ratePayouts: 0, sandboxOutcomeSeconds: outcomeSeconds }
  return withGateway(config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has no cell')
    await app.db.warm()
    await storeFor(app, merchant, WARM_MS)
    const startedAt = performance.now()
    const stored = await storeFor(app, merchant, ms)
    return stored / ((performance.now() - startedAt) / 1000)
  })
}

async function storeFor(app: App, merchant: BenchMerchant, ms: number): Promise<number> {
  const endAt = performance.now() + ms
  let stored = 0
  const work = async () => {
    while (performance.now() < endAt) {
      const [outcome] = await storePayouts(app, [itemOf(merchant)])
      if (!outcome?.ok || outcome.value.status !== 201) throw new Error(`refused: ${JSON.stringify(outcome)}`)
      stored += 1
    }
  }
  await Promise.all(Array.from({ length: app.db.pool.options.max }, work))
  return stored
}

function itemOf({ id: merchantId, tag }: BenchMerchant): Item {
  const key = randomUUID()
  const input = { amount: 1000, recipient: { phone: '256772000000' }, reference: key }
  return {
    caller: fullKey({ merchantId, tag, cell: '', mode: 'test' }),
    merchantId,
    mode: 'test',
    key,
    fingerprint: fingerprintRequest('POST', '/v1/payouts', input),
    requestId: key,
    input,
    readiness: { kind: 'ready', installation: 'sandbox' },
  }
}
