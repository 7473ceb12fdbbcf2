import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWire } from '../helpers/database/cut-wire.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { CHARGE, startService, type TestService } from '../helpers/service/test-service.ts'

// The host of the database stands still: its connections stay open and nothing comes through them. At its address a standby answers.
let wire: Awaited<ReturnType<typeof openWire>>
let service: TestService
before(async () => {
  wire = await openWire()
  service = await startService({ database: wire.behind })
})
after(async () => {
  await service.close()
  await wire.close()
})

const statusOf = async (path: string) => (await fetch(`${service.url}${path}`)).status

test('connections that owe an answer and are silent are ended, and payments are taken again', async () => {
  const { keys } = await service.merchant()
  const { charge, post } = service.client(keys.test)
  assert.equal((await charge()).status, 201)
  const old = wire.proxy.freeze()
  // More at once than there are connections, so that each of them has been asked something.
  const headers = Array.from({ length: 12 }, (_, nth) => ({ 'idempotency-key': `frozen-${nth}` }))
  const cut = await Promise.all(headers.map((own) => post('/v1/charges', CHARGE, own)))
  for (const { status } of cut) assert.ok(status === 201 || status === 503, `${status}`)
  await eventually('it is ready again', async () => (await statusOf('/readyz')) === 200)
  for (const own of headers)
    await eventually('the same request passes', async () => {
      const { status } = await post('/v1/charges', CHARGE, own)
      return status === 201
    })
  assert.equal((await service.rows('select 1 from charges')).length, headers.length + 1)
  for (const sweep of ['settle-charges', 'send-deliveries']) await service.run(sweep)

  // The first server wakes: nothing is said on its connections any more, and nothing that they had kept counts twice.
  const said = wire.proxy.counting(/./s)
  old.letThrough()
  assert.equal((await charge()).status, 201)
  assert.ok(said.count > 0)
  assert.equal((await service.rows('select 1 from charges')).length, headers.length + 2)
  assert.equal(await statusOf('/healthz'), 200)
})
