import assert from 'node:assert/strict'
import test from 'node:test'
import { agreeInOwnTransaction } from '../../../src/payments/exceptions/agree-on-exceptions.ts'
import { openPlatformException } from '../../../src/payments/exceptions/platform-exceptions.ts'
import { contradicted, pair, tokenOf } from '../../helpers/payments/approving.ts'
import { pay, startPayingService } from '../../helpers/payments/payouts.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

// Exceptions on the console: three lists, one of them with both sides, and what is done about it.
const service = openedAndVerified(() => startPayingService())
const LIST = '/console/reconciliation/exceptions'

/** An exception of this kind about a movement of a new shop, or about the platform. */
async function platformOne(kind: 'rail_only' | 'float_drift', subject: string): Promise<string> {
  const opening = openPlatformException({ kind, subject, details: { amount: 700 } }, service.clock.now())
  await service.gateway.directory.query(opening.statement, opening.values)
  const [row] = await service.rows<{ id: string }>('select id from directory.platform_exceptions where subject = $1', [
    subject,
  ])
  return row?.id ?? ''
}

test('missing, mismatched and late are three lists; filters and pages both ways keep them', async () => {
  const [anna] = await pair(service)
  const { merchant } = await contradicted(service)
  const stray = await platformOne('rail_only', 'nobody at all')
  const listed = async (query: string) => mainOf(await anna.get(`${LIST}?${query}`))
  assert.match(await listed('list=mismatched'), new RegExp(`late contradiction txn_.*${merchant.id}`))
  assert.doesNotMatch(await listed('list=mismatched'), /nobody at all/)
  assert.match(await listed('list=missing'), /rail only nobody at all/)
  assert.match(await listed('list=waiting'), /Nothing is here.*/)
  assert.match(await listed(`list=mismatched&merchant=${merchant.id}`), /late contradiction/)
  assert.match(await listed('list=mismatched&merchant=nobody'), /Nothing is here/)
  assert.match(await listed('list=mismatched&severity=major'), /Nothing is here/)
  assert.match(await listed('list=missing&owner=somebody'), /Nothing is here/)
  assert.equal((await anna.get(`${LIST}?after=x`)).status, 400)
  for (let nth = 0; nth < 60; nth += 1) {
    service.pass(1000)
    await platformOne('rail_only', `stray ${nth}`)
  }
  const seen: string[] = []
  let address: string | null = `${LIST}?list=missing`
  let last = address
  const rowsOf = (text: string) => [...text.matchAll(/stray \d+|nobody at all/g)].map(([word]) => word)
  while (address !== null) {
    last = address
    const page = await anna.get(address)
    seen.push(...rowsOf(page.text))
    address = /href="([^"]*after=[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? null
  }
  assert.deepEqual(seen, [...Array.from({ length: 60 }, (_, nth) => `stray ${59 - nth}`), 'nobody at all'])
  const back = /href="([^"]*before=[^"]*)"/.exec((await anna.get(last)).text)?.[1]?.replaceAll('&amp;', '&')
  assert.deepEqual(rowsOf((await anna.get(back ?? '')).text), seen.slice(25, 50))
  assert.match(stray, /^exc_platform/)
})

test('somebody takes an exception, notes what is known, and resolves it by a word of the closed set', async () => {
  const [anna, ben] = await pair(service)
  const support = await operatorSignedIn(service, 'support')
  const { live, exception } = await contradicted(service)
  const path = `${LIST}/${exception}`
  assert.equal((await support.send(await support.get(path), '/take')).status, 303)
  const note = { text: 'Called the operator.\nIt looks.' }
  assert.equal((await ben.send(await ben.get(path), '/note', note)).status, 303)
  const shown = mainOf(await anna.get(path))
  assert.match(shown, new RegExp(`Looked after by ${support.email}`))
  assert.match(shown, new RegExp(`Taken by ${support.email}.*Called the operator.*by ${ben.email}`))
  assert.match(shown, /"rail_said": "succeeded"/)
  assert.match(mainOf(await anna.get(`${LIST}?list=mismatched&owner=${support.email}`)), /late contradiction/)
  assert.equal(hasForm(await support.get(path), '/resolve'), false)
  const before = await service.digest()
  const refusals = [
    [support, 'resolve', { resolution: 'no_difference', note: 'x' }, 403, /your role \(support\) may not/],
    [anna, 'resolve', { resolution: 'adjusted', note: 'x' }, 400, /Choose one of the options/],
    [anna, 'resolve', { resolution: 'ended_lost', note: 'x' }, 400, /Choose one of the options/],
    [anna, 'resolve', { resolution: 'no_difference', note: '' }, 400, /fill this in/],
    [anna, 'end-lost', { note: 'x' }, 400, /only a movement that its operator never knew can be ended so/],
  ] as const
  for (const [by, act, fields, status, says] of refusals) {
    const answer = await by.post(`${path}/${act}`, { ...(await tokenOf(by)), ...fields })
    assert.equal(answer.status, status, mainOf(answer))
    assert.match(mainOf(answer), says)
  }
  assert.equal(await service.digest(), before)
  assert.equal((await pay(live)).status, 400)
  const how = { resolution: 'refunded_outside', note: 'paid back in cash' }
  assert.equal((await anna.send(await anna.get(path), '/resolve', how)).status, 303)
  assert.equal((await pay(live)).status, 201)
  assert.match(mainOf(await anna.get(path)), /Resolved: paid back outside paid back in cash/)
  assert.match(mainOf(await anna.get(`${LIST}?list=mismatched&state=resolved`)), /late contradiction/)
  const twice = await anna.post(`${path}/resolve`, { ...(await tokenOf(anna)), ...how })
  assert.match(mainOf(twice), /this exception was already resolved/)
  const [row] = await service.rows('select resolution, resolved_by from exceptions where id = $1', [exception])
  assert.deepEqual(row, { resolution: 'refunded_outside', resolved_by: anna.email })
})

test('one of the platform is resolved on its page, and has no balance to correct', async () => {
  const [anna] = await pair(service)
  const id = await platformOne('float_drift', 'ug-1 collect')
  const page = await anna.get(`${LIST}/${id}`)
  assert.match(mainOf(page), /float drift/)
  assert.equal(hasForm(page, '/adjust'), false)
  const asked = await anna.post(`${LIST}/${id}/adjust`, {
    ...{ ...(await tokenOf(anna)), direction: 'in', amount: '1', against: 'rail', told: 'x', reason: 'y' },
  })
  assert.equal(asked.status, 403, 'without a token of its own')
  await anna.send(page, '/note', { text: 'the bank swept it' })
  const how = { resolution: 'operator_corrected', note: 'booked by them today' }
  assert.equal((await anna.send(page, '/resolve', how)).status, 303)
  assert.match(mainOf(await anna.get(`${LIST}/${id}`)), /the bank swept it.*the operator corrected itself/)
})

test('what the next looks agreed on has no resolution of a person', async () => {
  const { merchantId, subject } = await contradicted(service)
  await service.rows(`update exceptions set kind = 'mismatch' where merchant_id = $1`, [merchantId])
  for (const passed of [0, 3_600_000]) {
    service.pass(passed)
    const agreement = { leg: 'references', kinds: ['mismatch'], at: service.clock.now() } as const
    await agreeInOwnTransaction(service.app.db, { merchantId, mode: 'live', subject }, agreement)
  }
  const [row] = await service.rows<{ id: string; resolution: string | null }>(
    'select id, resolution from exceptions where merchant_id = $1 and closed_at is not null',
    [merchantId],
  )
  assert.equal(row?.resolution, null)
  const [anna] = await pair(service)
  assert.match(mainOf(await anna.get(`${LIST}/${row?.id}`)), /Resolved: later looks agreed/)
})

test('an exception that is not there is 404, and its forms write nothing', async () => {
  const [anna] = await pair(service)
  const before = await service.digest()
  for (const id of [`exc_${'a'.repeat(21)}`, 'exc_platformaaaaaaaaaaaaaaaa', 'txn_aaaaa']) {
    assert.equal((await anna.get(`${LIST}/${id}`)).status, 404, id)
    const answer = await anna.post(`${LIST}/${id}/take`, await tokenOf(anna))
    assert.equal(answer.status, 404, id)
  }
  assert.equal(await service.digest(), before)
})
