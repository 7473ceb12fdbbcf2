import assert from 'node:assert/strict'
import test from 'node:test'
import { approve } from '../../../src/operations/reconciliation/approve.ts'
import { kampalaMonth } from '../../../src/platform/time/kampala.ts'
import {
  ADJUSTMENT,
  approved,
  askFor,
  contradicted,
  correctionsOf,
  FUNDS,
  idIn,
  pair,
  stateOf,
  tokenOf,
} from '../../helpers/payments/approving.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { pay, startPayingService } from '../../helpers/payments/payouts.ts'
import { availableOf } from '../../helpers/payments/schedules.ts'
import { operator } from '../../helpers/service/actors.ts'
import { newPayer, startBeside } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Browser, hasForm, type Page } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

// What takes two operators: asked for by one, done by another, in that other's commit and once.
const service = openedAndVerified(() => startPayingService())
const beside = opened(() => startBeside(service))
const DAY_MS = 24 * 3_600_000

test('a correction that two operators agree on is posted, resolves its exception, and payouts run again', async () => {
  const [anna, ben] = await pair(service)
  const { live, merchant, merchantId, exception, subject } = await contradicted(service)
  assert.equal((await pay(live)).status, 400)
  const path = await askFor(anna, exception)
  assert.equal(await availableOf(live), FUNDS, 'nothing has moved yet')
  const shown = await ben.get(path)
  assert.match(mainOf(shown), /UGX 12,500 is added to what the merchant has available/)
  assert.match(mainOf(shown), /statement of Monday, line 7/)
  assert.match(mainOf(shown), /"amount":12500/)
  assert.match(mainOf(await ben.get('/console/approvals')), new RegExp(exception))
  assert.match(mainOf(await anna.get('/console/approvals?list=by-me')), new RegExp(exception))
  assert.doesNotMatch(mainOf(await anna.get('/console/approvals?list=for-me')), new RegExp(exception))
  const note = 'the paper of Monday lies in the safe'
  const done = await ben.send(await ben.get(path), '/approve', { note })
  assert.equal(done.status, 303, mainOf(done))
  assert.match(mainOf(await anna.get(path)), new RegExp(`Note ${note}`), 'what the second one said stays')
  assert.equal(await availableOf(live), FUNDS + 12_500)
  assert.deepEqual(await correctionsOf(service, merchantId), [
    { kind: 'correction_in', debit: 'rail:op1_momo', credit: 'available', amount: 12_500 },
  ])
  assert.equal((await pay(live)).status, 201)
  assert.match(
    mainOf(await ben.get(`/console/reconciliation/exceptions/${exception}`)),
    /Resolved: corrected by two operators/,
  )
  assert.match(mainOf(await ben.get('/console/approvals?list=decided')), new RegExp(exception))
  const again = await ben.post(`${path}/approve`, await tokenOf(ben))
  assert.equal(again.status, 303, 'the same person again changes nothing')
  assert.equal((await correctionsOf(service, merchantId)).length, 1)

  const owner = await signedInAs(service, merchant)
  const wallet = mainOf(await owner.get('/dashboard/wallet'))
  assert.match(wallet, new RegExp(`Correction by our staff, in your favour ${subject}.*Paid on Monday after all`))
  for (const name of [anna.email, ben.email, 'line 7']) assert.ok(!wallet.includes(name), name)
  const month = kampalaMonth(service.clock.now())
  const { body } = await live.get(`/v1/statements/${month}`)
  const [line] = body.adjustments.filter(({ kind }: { kind: string }) => kind === 'correction')
  assert.deepEqual([line.amount, line.note], [12_500, 'Paid on Monday after all'])
  for (const [action, count] of Object.entries({
    'approval.ask': 1,
    'approval.approve': 1,
    'ledger.adjust': 1,
  })) {
    const rows = await service.rows('select after::text from audit where merchant_id = $1 and action = $2', [
      merchantId,
      action,
    ])
    assert.equal(rows.length, count, action)
    assert.ok(!JSON.stringify(rows).includes(anna.email), 'the merchant reads the audit, and never who')
  }
})

test('who asked may not approve or reject, only withdraw; who may not do the act decides nothing', async () => {
  const [anna, ben] = await pair(service)
  const risk = await operatorSignedIn(service, 'risk')
  const support = await operatorSignedIn(service, 'support')
  const { merchantId, exception } = await contradicted(service)
  const path = await askFor(anna, exception)
  const before = await service.digest()
  const own = await anna.get(path)
  assert.equal(hasForm(own, '/approve'), false)
  const token = await tokenOf(anna)
  const refusals: [Browser, string, RegExp][] = [
    [anna, 'approve', /you asked for this yourself: a second operator must decide on it/],
    [anna, 'reject', /you asked for this yourself/],
    [ben, 'withdraw', /only who asked for this may withdraw it/],
    [risk, 'approve', /your role \(risk\) may not do this/],
    [risk, 'reject', /your role \(risk\) may not do this/],
    [support, 'approve', /your role \(support\) may not do this/],
  ]
  for (const [by, act, says] of refusals) {
    const fields = by === anna ? token : await tokenOf(by)
    const answer = await by.post(`${path}/${act}`, { ...fields, note: 'no' })
    assert.equal(answer.status, 403, act)
    assert.match(mainOf(answer), says)
  }
  assert.equal(await service.digest(), before)
  assert.equal((await anna.send(own, '/withdraw')).status, 303)
  assert.equal((await stateOf(service, path))?.status, 'withdrawn')
  const late = await ben.post(`${path}/approve`, await tokenOf(ben))
  assert.equal(late.status, 409)
  assert.match(mainOf(late), /this was already withdrawn/)
  assert.deepEqual(await correctionsOf(service, merchantId), [])
  const refused = service.rows(
    `update approvals set status = 'waiting', decided_at = null, decided_by = null, decided_name = null where id = $1`,
    [idIn(path)],
  )
  await assert.rejects(refused, /may not move from withdrawn to waiting/)
})

test('the database refuses one person for both, and other bytes', async () => {
  const [anna] = await pair(service)
  const { exception } = await contradicted(service)
  const id = idIn(await askFor(anna, exception))
  const decided = `decided_at = asked_at, decided_name = asked_name`
  for (const status of ['approved', 'rejected'])
    await assert.rejects(
      service.rows(`update approvals set status = $2, decided_by = asked_by, ${decided} where id = $1`, [id, status]),
      /two_persons/,
    )
  await assert.rejects(
    service.rows(`update approvals set command = '{"kind":"adjustment"}' where id = $1`, [id]),
    /append-only|digest_of_command/,
  )
})

test('of one exception one correction waits; a rejection says why; a day later nothing waits any more', async () => {
  const [anna, ben] = await pair(service)
  const { exception } = await contradicted(service)
  const page = await ben.get(`/console/reconciliation/exceptions/${exception}`)
  const path = await askFor(anna, exception)
  const second = await ben.send(page, '/adjust', ADJUSTMENT)
  assert.equal(second.status, 409)
  assert.match(mainOf(second), new RegExp(`somebody has asked for this already: ${idIn(path)}`))
  assert.equal((await ben.send(await ben.get(path), '/reject', { note: 'the amount is 12,600' })).status, 303)
  assert.match(mainOf(await anna.get(path)), /the amount is 12,600/)
  const next = await askFor(anna, exception, { amount: '12600' })
  service.pass(DAY_MS)
  const [, late] = await pair(service)
  const overdue = await late.post(`${next}/approve`, await tokenOf(late))
  assert.equal(overdue.status, 409)
  assert.match(mainOf(overdue), /this was already expired/)
  await service.run('expire-prepared')
  assert.equal((await stateOf(service, next))?.status, 'expired')
})

test('what the merchant cannot cover waits with the refusal shown, and is done when the money is there', async () => {
  const [anna, ben] = await pair(service)
  const { live, merchantId, exception } = await contradicted(service)
  const path = await askFor(anna, exception, { direction: 'out', amount: '50001', against: 'adjustments' })
  const refused = await approved(ben, path)
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /the merchant has UGX 50000 available, and this takes UGX 50001/)
  assert.equal((await stateOf(service, path))?.status, 'waiting')
  assert.match(mainOf(await ben.get(path)), /could not be done when it was approved last/)
  assert.deepEqual(await correctionsOf(service, merchantId), [])
  const [open] = await service.rows('select closed_at from exceptions where id = $1', [exception])
  assert.deepEqual(open, { closed_at: null })
  service.pass(2 * DAY_MS)
  await service.run('expire-prepared')
  assert.equal((await stateOf(service, path))?.status, 'waiting', 'it does not expire while the money is missing')
  const [ann, bob] = await pair(service)
  assert.match(mainOf(await bob.get(path)), /Waits until the money is there/)
  const again = await ann.get(`/console/reconciliation/exceptions/${exception}`)
  assert.equal(hasForm(again, '/adjust'), false, 'of one exception one correction waits')
  assert.match(mainOf(again), new RegExp(`it waits for a second operator: ${idIn(path)}`))
  const paid = await live.charge({ amount: 1200, customer: { phone: newPayer() } })
  await succeed(service, paid.body.id)
  const now = await availableOf(live)
  assert.equal((await approved(bob, path)).status, 303)
  assert.equal(await availableOf(live), now - 50_001)
})

test('a correction is refused before it waits: no amount, no words, a resolved exception, one of the platform', async () => {
  const [anna] = await pair(service)
  const { exception } = await contradicted(service)
  const page = await anna.get(`/console/reconciliation/exceptions/${exception}`)
  const before = await service.digest()
  for (const [field, value, says] of [
    ['amount', '0', /amount must be a whole number from 1 to/],
    ['amount', '', /Amount: fill this in/],
    ['told', '', /What the merchant reads of the correction: fill this in/],
    ['told', 'x'.repeat(201), /At most 200 characters/],
    ['reason', '', /fill this in/],
    ['direction', 'sideways', /Choose one of the options/],
  ] as const) {
    const answer = await anna.send(page, '/adjust', { ...ADJUSTMENT, [field]: value })
    assert.equal(answer.status, 400, `${field} ${value}`)
    assert.match(mainOf(answer), says)
  }
  assert.equal(await service.digest(), before)
  await anna.send(page, '/resolve', { resolution: 'no_difference', note: 'looked into' })
  const late = await anna.send(page, '/adjust', ADJUSTMENT)
  assert.match(mainOf(late), /this exception was already resolved/)
})

test('twenty approvals by three operators at once over two services post one correction', async () => {
  const anna = await operatorSignedIn(service, 'finance')
  for (let round = 0; round < 4; round += 1) {
    const { live, merchantId, exception } = await contradicted(service)
    const id = idIn(await askFor(anna, exception))
    const callers = [11, 12, 13].map((nth) => operator('finance', 90_000 + nth))
    const approvals = await Promise.allSettled(
      Array.from({ length: 20 }, (_, nth) =>
        approve((nth % 2 === 0 ? service : beside).gateway, callers[nth % 3] as (typeof callers)[0], { id }),
      ),
    )
    const refused = approvals.flatMap((approval) => (approval.status === 'rejected' ? [approval.reason] : []))
    assert.ok(refused.length < 20)
    for (const { status, message } of refused) assert.deepEqual([status, message], [409, 'this was already approved'])
    assert.equal((await correctionsOf(service, merchantId)).length, 1)
    assert.equal(await availableOf(live), FUNDS + 12_500)
  }
})

test('an approval that is not there, or of another place, is 404', async () => {
  const [anna] = await pair(service)
  const pages: Page[] = await Promise.all(
    [`apr_${'a'.repeat(21)}`, 'apr_platformaaaaaaaaaaaaaaaa', 'nothing', 'exc_aaaaaaaaaaaaaaaaaaaaa'].map((id) =>
      anna.get(`/console/approvals/${id}`),
    ),
  )
  assert.deepEqual(
    pages.map(({ status }) => status),
    [404, 404, 404, 404],
  )
})
