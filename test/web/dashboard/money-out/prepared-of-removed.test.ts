import assert from 'node:assert/strict'
import test from 'node:test'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { getPrepared } from '../../../../src/payments/payouts/prepared/find-prepared.ts'
import { checkerState, setCheckerRule } from '../../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, type Crew, crewed } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const PEOPLE = '/dashboard/settings/people'

/** Somebody of the shop whom the directory knows, as whoever asks for operations, with the public id. */
async function known({ merchant, anna }: Crew, role: MerchantRole) {
  const browser = await signedInAs(service, merchant, { role })
  const [{ id } = { id: '' }] = await service.rows<{ id: string }>(
    'select public_id as id from directory.people where id = $1',
    [browser.personId],
  )
  return { browser, id, caller: worker(anna, role, browser.personId) }
}

test('what somebody has prepared is withdrawn with the role, and nobody can approve it any more', async () => {
  const crew = await crewed(service)
  const boss = await known(crew, 'owner')
  const books = await known(crew, 'accountant')
  const id = await ask(service, books.caller)
  const page = await boss.browser.get(PEOPLE)
  assert.equal((await boss.browser.send(page, `/${books.id}/remove`, {})).status, 303)
  await assert.rejects(approve(service, boss.caller, id), { status: 409, message: /already withdrawn/ })
  const row = await getPrepared(service.app, boss.caller, id)
  assert.deepEqual([row.status, row.decidedBy], ['withdrawn', books.caller.personId])
  const [act] = await service.rows(`select actor_kind, action from audit where subject = $1 order by id desc limit 1`, [
    id,
  ])
  assert.deepEqual(act, { actor_kind: 'service', action: 'payout.withdraw' })
  assert.equal(await availableOf(crew.live), 500_000)
})

test('so it is after a demotion, by the task too, and what colleagues have prepared stays', async () => {
  const crew = await crewed(service)
  const [boss, second] = [await known(crew, 'owner'), await known(crew, 'owner')]
  const other = await known(crew, 'accountant')
  const [theirs, stays] = [await ask(service, second.caller), await ask(service, other.caller)]
  const unknown = await ask(service, crew.anna)
  const demoted = await boss.browser.send(await boss.browser.get(PEOPLE), `/${second.id}/role`, {
    role: 'viewer',
  })
  assert.equal(demoted.status, 303)
  await service.run('expire-prepared')
  const stateOf = async (id: string) => (await getPrepared(service.app, boss.caller, id)).status
  assert.deepEqual(
    [await stateOf(theirs), await stateOf(stays), await stateOf(unknown)],
    ['withdrawn', 'prepared', 'prepared'],
  )
  assert.match((await approve(service, boss.caller, stays)).objectId ?? '', /^pout_/)
})

test('a weaker rule of the second person that a removed owner has wished for is dropped', async () => {
  const crew = await crewed(service)
  const [boss, second] = [await known(crew, 'owner'), await known(crew, 'owner')]
  await setCheckerRule(service.app, second.caller, null)
  assert.notEqual((await checkerState(service.app, boss.caller)).wanted, null)
  const page = await boss.browser.get(PEOPLE)
  assert.equal((await boss.browser.send(page, `/${second.id}/remove`, {})).status, 303)
  await service.run('expire-prepared')
  service.pass(25 * 3_600_000)
  assert.deepEqual(await checkerState(service.app, boss.caller), { above: 10_000, wanted: null })
})
