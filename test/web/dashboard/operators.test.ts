import assert from 'node:assert/strict'
import { test } from 'node:test'
import { railTroubles } from '../../../src/rails/rail-troubles.ts'
import { FIRST_INSTALLATION } from '../../helpers/service/http-rail.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const MINUTE = 60_000
const service = opened(() => startLiveService())

const posted = (seconds: number) =>
  service.rows(
    `update rail_attempts set submit_ended_at = sending_since + $1 * interval '1 second' where submit_ended_at is not null`,
    [seconds],
  )

test('a merchant is told on Home and its charges that the operator is slow, in live mode and while it lasts', async () => {
  const { merchant, live } = await service.shop()
  const owner = await signedInAs(service, merchant)
  const slow = /MTN MoMo has answered slowly since \d+ \w+ \d{4}, \d\d:\d\d\./
  const charge = async () => (await live.charge({ customer: { phone: newPayer() } })).body
  for (let nth = 0; nth < 5; nth += 1) await charge()
  assert.doesNotMatch(mainOf(await owner.get('/dashboard')), slow)
  await posted(9)
  service.pass(10_000)
  const open = await charge()
  for (const address of ['/dashboard', '/dashboard/charges', `/dashboard/charges/${open.id}`])
    assert.match(mainOf(await owner.get(address)), slow, address)
  for (const address of ['/dashboard/test', '/dashboard/test/charges', '/dashboard/payouts'])
    assert.doesNotMatch(mainOf(await owner.get(address)), slow, address)
  service.pass(16 * MINUTE)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard')), slow)
})

test('an operator that does not answer at all is silent, since its breaker opened', async () => {
  const { merchant } = await service.shop()
  const owner = await signedInAs(service, merchant)
  const { clock, app } = service
  const troubles = railTroubles({ directory: app.directory, clock, log: app.log })
  const tell = () =>
    troubles.raise({ installation: FIRST_INSTALLATION, side: 'disburse', kind: 'breaker', says: 'it does not answer' })
  tell()
  service.pass(MINUTE)
  tell()
  await troubles.close()
  const silent = /MTN MoMo has not taken payouts since .*nothing is sent twice\./
  assert.match(mainOf(await owner.get('/dashboard')), silent)
  assert.match(mainOf(await owner.get('/dashboard/payouts')), silent)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard/charges')), silent)
  service.pass(3 * MINUTE)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard')), silent)
})
