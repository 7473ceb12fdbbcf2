import assert from 'node:assert/strict'
import test from 'node:test'
import { startOperator } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { FIRST_INSTALLATION } from '../../helpers/service/http-rail.ts'
import { eventually, newPayer, startLiveService } from '../../helpers/service/live-service.ts'

test('S3: a question that hangs delays neither test mode nor other charges, nor those of another contract', async () => {
  const service = await startLiveService({ role: 'all' })
  const second = await startOperator({ pays: 'when told' })
  service.rail.addInstallation('second contract', second.url)
  const held = gate()
  try {
    const { live, test: sandbox } = await service.shop()
    const charge = async () => (await live.charge({ customer: { phone: newPayer() } })).body
    const stuck = []
    // More than one contract may have in progress at once, so this shows that others have places of their own.
    for (let nth = 0; nth < 80; nth += 1) {
      const body = await charge()
      service.operator.onQuestion({ answer: 'book', until: held.opened }, body.id)
      stuck.push(body.id)
    }
    service.pass(7000)
    const asked = () => service.operator.journal.filter(({ what }) => what === 'question').length
    await eventually('as many questions hang as may', () => asked() >= 64)
    service.rail.activate('second contract')
    const other = await charge()
    second.pays(other.id)
    const simulated = (await sandbox.charge()).body
    service.pass(7000)
    const statusOf = async (api: typeof live, id: string) => (await api.get(`/v1/charges/${id}`)).body.status
    await eventually('test mode goes on', async () => (await statusOf(sandbox, simulated.id)) === 'succeeded')
    await eventually('the other contract goes on', async () => (await statusOf(live, other.id)) === 'succeeded')
    // By the times that are stored, for this test may be slow itself.
    const [order] = await service.rows<{ went_on: boolean }>(
      `select max(c.completed_at) < coalesce((select min(at) from rail_evidence where operation = 'status' and answer <> 'succeeded'), 'infinity')
         as went_on from charges c where c.id = any($1)`,
      [[other.id, simulated.id]],
    )
    assert.equal(order?.went_on, true, 'while not one of the hanging questions has been given up')
    assert.ok(asked() <= 64, `${asked()} of 96 places taken by one contract`)
    service.rail.activate(FIRST_INSTALLATION)
    held.open()
    await service.verify()
  } finally {
    held.open()
    await second.close()
    await service.close()
  }
})
