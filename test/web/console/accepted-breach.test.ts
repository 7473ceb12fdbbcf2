import assert from 'node:assert/strict'
import test from 'node:test'
import { reconcileNow } from '../../../src/operations/reconciliation/reconcile.ts'
import { verifyCell } from '../../../src/operations/verify/verify.ts'
import { approved, idIn, pair, tokenOf } from '../../helpers/payments/approving.ts'
import { payNew, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import type { Shop } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

// A breach whose cause is known and that stays in the books: two operators accept it by name, and a new one is not drowned.
const service = opened(() => startPayingService())
const { run, json } = commandsOn(service)
const LIST = '/console/reconciliation/exceptions'

/** A shop whose completed charge has another time than its transfers, which nothing can mend; and its open breaches. */
async function broken(): Promise<Shop & { charge: string; breaches: { id: string; subject: string }[] }> {
  const shop = await richShop(service)
  const { id: charge } = (await shop.live.get('/v1/charges')).body.data[0]
  await spoil(charge)
  await reconcileNow(service.gateway, BY_HAND)
  return { ...shop, charge, breaches: await openOf(charge) }
}
const spoil = (charge: string) =>
  service.rows(`update charges set completed_at = completed_at - interval '1 minute' where id = $1`, [charge])
const openOf = (charge: string) =>
  service.rows<{ id: string; subject: string }>(
    `select id, subject from exceptions where closed_at is null and subject like '%' || $1 order by subject`,
    [charge],
  )
const violationsOf = async () =>
  (await verifyCell(service.app.db, service.clock.now())).flatMap(({ id, violations, accepted }) =>
    violations + accepted > 0 ? [[id, violations, accepted]] : [],
  )
const paysOut = async ({ live }: Shop) => (await payNew(live, { amount: 1000 })).status
const resolving = { resolution: 'no_difference', note: 'known since March' }

test('two operators accept a breach by name: verify counts it apart, the pause ends, and another breach is found', async () => {
  const [anna, ben] = await pair(service)
  const shop = await broken()
  assert.deepEqual(
    shop.breaches.map(({ subject }) => subject),
    [`C1 ${shop.charge}`, `E1 ${shop.charge}`],
  )
  for (const { id, subject } of shop.breaches) {
    const page = await anna.get(`${LIST}/${id}`)
    const asked = await anna.send(page, '/accept', { reason: 'the clock of March' })
    assert.equal(asked.status, 303, mainOf(asked))
    assert.match(mainOf(await ben.get(asked.location)), new RegExp(`is accepted: ${subject}`))
    const own = await anna.post(`${asked.location}/approve`, await tokenOf(anna))
    assert.equal(own.status, 403)
    assert.equal((await violationsOf()).length > 0, true)
    assert.equal((await approved(ben, asked.location)).status, 303)
    assert.equal(await paysOut(shop), 400, 'paused until somebody resolves it')
    assert.equal((await anna.send(await anna.get(`${LIST}/${id}`), '/resolve', resolving)).status, 303)
  }
  assert.equal(await paysOut(shop), 201)
  await reconcileNow(service.gateway, BY_HAND)
  assert.deepEqual(await openOf(shop.charge), [])
  assert.deepEqual(await violationsOf(), [
    ['C1', 0, 1],
    ['E1', 0, 1],
  ])
  const ran = await run('verify')
  assert.equal(ran.code, 0, ran.stdout)
  assert.match(ran.stdout, new RegExp(`C1 +holds .*; accepted: ${shop.charge}`))
  assert.match(ran.stdout, /everything holds; 2 accepted/)
  const { cells } = await json('verify')
  const c1 = cells[0].findings.find(({ id }: { id: string }) => id === 'C1')
  assert.deepEqual(
    [Object.keys(c1.accepted_offenders[0]), c1.accepted_offenders[0].offender, c1.offenders],
    [['merchant_id', 'mode', 'offender'], shop.charge, []],
  )
  assert.match(mainOf(await anna.get('/console/jobs')), new RegExp(`accepted by two operators: C1, 1 ${shop.charge}`))
  const other = await broken()
  assert.equal(other.breaches.length, 2, 'another offender of the same invariant')
  assert.equal(await paysOut(other), 400)
  assert.equal(await paysOut(shop), 201)
  assert.equal((await run('verify')).code, 1)
  const acts = await service.rows(
    `select action, count(*)::int as times from audit where action in ('breach.accept', 'approval.approve') group by action order by action`,
  )
  assert.deepEqual(acts, [
    { action: 'approval.approve', times: 2 },
    { action: 'breach.accept', times: 2 },
  ])
})

test('a command asks, an operator approves, and only a breach that is open and not accepted yet can be asked for', async () => {
  const [anna, ben] = await pair(service)
  const support = await operatorSignedIn(service, 'support')
  const shop = await broken()
  const [c1] = shop.breaches
  assert.ok(c1)
  assert.equal(hasForm(await support.get(`${LIST}/${c1.id}`), '/accept'), false)
  const asked = await run('exceptions', 'accept', '--id', c1.id, '--reason', 'known', '--json')
  assert.equal(asked.code, 0, asked.stderr)
  const { id } = JSON.parse(asked.stdout)
  const twice = await run('exceptions', 'accept', '--id', c1.id, '--reason', 'known')
  assert.match(twice.stderr, new RegExp(`somebody has asked for this already: ${id}`))
  assert.equal((await approved(anna, `/console/approvals/${id}`)).status, 303)
  const again = await ben.send(await ben.get(`${LIST}/${c1.id}`), '/accept', { reason: 'again' })
  assert.match(mainOf(again), new RegExp(`accepted already, by ${idIn(id)}`))
  const [row] = await service.rows('select asked_by, asked_name, decided_name from approvals where id = $1', [id])
  assert.deepEqual([row?.asked_by, row?.decided_name], [0, anna.email])
  const wrong = await run('exceptions', 'accept', '--id', `exc_${'x'.repeat(21)}`, '--reason', 'x')
  assert.notEqual(wrong.code, 0)
})
