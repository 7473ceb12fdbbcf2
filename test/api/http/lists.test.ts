import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { stillClock } from '../rate-limits/still-clock.ts'

const ROWS = 5
let api: Client
const receiver = opened(() => startReceiver())
const service = opened(() => startService({ clock: stillClock(), env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const merchant = made(() => service.merchant())
prepare(async () => {
  await service.set(merchant, { webhookUrl: receiver.url })
  api = service.client(merchant.keys.test)
  await pay(ROWS)
})

/** So many paid charges, all of one moment; each with its settlement and its event. */
async function pay(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) assert.equal((await api.charge()).status, 201)
  service.pass(2000)
  while ((await service.run('follow-charges')) > 0);
}

const idsOf = (body: any): string[] => body.data.map(({ id }: any) => id)

test('deliveries are found by status and event, alone and together, and settlements by time', async () => {
  while ((await service.run('send-deliveries')) > 0);
  await pay(1)
  const idsWith = async (query: string) => idsOf((await api.get(`/v1/webhooks?limit=100&${query}`)).body)
  const pending = await idsWith('status=pending')
  const sent = await idsWith('status=sent')
  assert.equal(pending.length, 1)
  assert.ok(sent.length >= ROWS)
  assert.deepEqual(await idsWith('status=failed'), [])
  assert.deepEqual(await idsWith('event=charge.succeeded&status=sent'), sent)
  assert.deepEqual(await idsWith('event=charge.failed'), [])
  for (const event of ['charge.%', 'CHARGE.SUCCEEDED', 'none'])
    assert.equal((await api.get(`/v1/webhooks?event=${encodeURIComponent(event)}`)).status, 400, event)
  const [newest] = (await api.get('/v1/settlements?limit=1')).body.data
  const bounds = `created_after=${newest.created_at}&created_before=${newest.created_at}`
  assert.deepEqual(idsOf((await api.get(`/v1/settlements?${bounds}`)).body), [newest.id])
  assert.deepEqual(await idsWith(bounds), pending)
})

test('rows of lists have exactly the fields of the contract', async () => {
  const settlement = (await api.get('/v1/settlements?limit=1')).body.data[0]
  const { id, created_at, ...rest } = settlement
  assert.match(id, /^setl_[a-z0-9]{21,}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    mode: 'test',
    amount: 4800,
    currency: 'UGX',
    charge_count: 1,
    transactions: 1,
    kind: 'instant',
    subaccount: null,
  })
  const delivery = (await api.get('/v1/webhooks?limit=1&status=sent')).body.data[0]
  assert.deepEqual(
    {
      ...delivery,
      id: null,
      address: /^wha_[a-z0-9]{21}$/.test(delivery.address) ? null : delivery.address,
      event_id: delivery.id === delivery.event_id,
      delivered_at: null,
      created_at: null,
    },
    {
      id: null,
      address: null,
      event_id: true,
      event: 'charge.succeeded',
      mode: 'test',
      url: receiver.url,
      status: 'sent',
      attempts: 1,
      last_response_code: 200,
      last_error: null,
      next_attempt_at: null,
      delivered_at: null,
      created_at: null,
    },
  )
})
