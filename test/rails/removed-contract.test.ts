import assert from 'node:assert/strict'
import test from 'node:test'
import { newPayer } from '../helpers/service/live-service.ts'
import { entryFor, installationsFile, startOp1Service } from '../helpers/service/op1-service.ts'
import { startService } from '../helpers/service/test-service.ts'

test('a contract with unfinished payments cannot be removed: the start says which one, and a retired one goes on answering', async () => {
  const first = await startOp1Service()
  const shop = await first.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  const { database, clock } = first
  const second = { ...entryFor(first.emulator), id: 'ug-2' }
  const without = installationsFile([second])
  const env = (path: string) => ({ env: { OP1_INSTALLATIONS: path }, database, clock })
  await assert.rejects(startService(env(without.path)), {
    message:
      'OP1_INSTALLATIONS lacks ug-1, through which 1 unfinished payments went: keep it, with "active": false, until they have ended',
  })
  const retired = installationsFile([second, { ...entryFor(first.emulator), active: false }])
  const later = await startService(env(retired.path))
  await first.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  later.pass(6000)
  await later.run('follow-charges')
  const ended = await later.client(shop.merchant.keys.live).get(`/v1/charges/${body.id}`)
  await later.close()
  assert.equal(ended.body.status, 'succeeded')
  for (const file of [without, retired]) file.remove()
  await first.close()
})
