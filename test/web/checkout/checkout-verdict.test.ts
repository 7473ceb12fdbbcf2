import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { behindWire } from '../../helpers/database/cut-wire.ts'
import { gate } from '../../helpers/database/gate.ts'
import { testDatabase } from '../../helpers/database/test-database.ts'
import { eventually, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { visitor } from '../../helpers/web/paying-on-pages.ts'

test("an operator's answer given while the database was away is not lost: the link is free again when it is back", async () => {
  const database = await testDatabase()
  const wired = await behindWire(database)
  const { proxy } = wired
  const service = await startLiveService({ database: wired })
  // On the database itself, not behind the wire that is cut.
  const beside = new pg.Client({ connectionString: database.url, options: '-c search_path=cell_0' })
  await beside.connect()
  const chargesOf = async (link: string) =>
    (await beside.query('select voided_at from charges where payment_link_id = $1', [link])).rows
  try {
    const { live } = await service.shop()
    const link = (await live.post('/v1/payment-links', { amount: 5000 })).body.id
    const phone = newPayer()
    const slow = gate()
    service.operator.onSubmit({ answer: 'refuse to serve', until: slow.opened }, phone)
    const sent = visitor(service).post(`/pay/${link}/submit`, { channel: 'op1_momo', phone })
    // By then the service has the answer to its COMMIT, and its wire can be cut.
    await eventually('the operator has the charge', async () => service.operator.submits() === 1)
    await proxy.close()
    slow.open()
    // Long enough for several tries that find no database.
    await new Promise((resolve) => setTimeout(resolve, 600))
    await proxy.open()
    assert.equal((await sent).status, 502, 'nothing was taken, and the customer hears so')
    assert.notEqual((await chargesOf(link))[0]?.voided_at, null)
    assert.equal((await live.get(`/v1/payment-links/${link}`)).body.status, 'pending')
    await service.verify()
  } finally {
    await beside.end()
    await service.close()
    await proxy.close()
    await database.drop()
  }
})
