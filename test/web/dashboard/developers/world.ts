import type { CreatedMerchant } from '../../../../src/merchants/account/create-merchant.ts'
import type { Receiver } from '../../../fakes/receiver.ts'
import type { TestService } from '../../../helpers/service/test-service.ts'
import { deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'

/** A merchant whose pages for developers have something of everything. */
export async function busyDeveloper(
  service: TestService,
  receiver: Receiver,
): Promise<{ merchant: CreatedMerchant; pages: Record<string, string> }> {
  const merchant = await service.merchant({ vending: true, name: "Nnalongo's Shop" })
  const api = service.client(merchant.keys.test)
  await service.set(merchant, {
    webhookUrl: receiver.url,
    failNextPayouts: 2,
    failNextReason: 'wallet_locked',
  })
  receiver.behave((response) => void response.writeHead(500).end('{"error":"no such table: orders"}'))
  const failing = await endedCharge(service, api)
  await deliverAll(service)
  receiver.behave((response) => void response.writeHead(200).end('ok'))
  await endedCharge(service, api)
  await deliverAll(service)
  const { body: address } = await api.post('/v1/webhook-addresses', {
    ...{ url: `${receiver.url}/books`, events: ['charge.succeeded', 'payout.failed'] },
  })
  await endedCharge(service, api)
  await service.run('seal-events')
  await deliverAll(service)
  await api.charge({ amount: 200 })
  await api.get('/v1/charges/txn_none')
  await api.charge({ reference: 'x'.repeat(255) }, { 'idempotency-key': 'one' })
  await service.gateway.requests.flush()
  const [key] = await service.rows<{ id: string }>(
    `select k.id from cell_0.api_keys k join cell_0.merchants m on m.id = k.merchant_id where m.public_id = $1 and k.kind = 'test'`,
    [merchant.id],
  )
  const [request] = await service.rows<{ id: string }>(
    `select r.id::text from request_log r join cell_0.merchants m on m.id = r.merchant_id
     where m.public_id = $1 and r.status = 400`,
    [merchant.id],
  )
  const here = '/dashboard/test/developers'
  return {
    merchant,
    pages: {
      keys: here,
      key: `${here}/keys/${key?.id}`,
      webhooks: `${here}/webhooks`,
      address: `${here}/webhook-addresses/${address.id}`,
      delivery: `${here}/webhooks/${failing.eventId}`,
      events: `${here}/events`,
      requests: `${here}/requests`,
      'requests-filtered': `${here}/requests?status=refused`,
      request: `${here}/requests/${BigInt(request?.id ?? 0).toString(36)}`,
      sandbox: `${here}/sandbox`,
      reference: `${here}/reference`,
    },
  }
}
