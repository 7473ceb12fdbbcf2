import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StaffRole } from '../../../src/api/access/actor.ts'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { makeAccount, removeAccount } from '../../helpers/payments/test-accounts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const HOUR_MS = 3_600_000
const service = opened(() => startService())

async function shop(name: string) {
  const merchant = await service.merchant({ name })
  const [row] = await service.rows<{ id: number }>('select id from cell_0.merchants where public_id = $1', [
    merchant.id,
  ])
  assert.ok(row)
  return { ...merchant, number: row.id, page: `/console/merchants/${merchant.id}` }
}

const factsOf = async (id: string) =>
  (await service.rows<Record<string, unknown>>('select * from cell_0.merchants where public_id = $1', [id]))[0]

/** Sends a form of the page of a merchant and answers the page after it. */
async function act(role: StaffRole, page: string, end: string, fields: Record<string, string> = {}) {
  const operator = await operatorSignedIn(service, role)
  const answer = await operator.send(await operator.get(page), end, fields)
  return { operator, answer }
}

test('a merchant is found by words of its name, handle, id, address, and phone, and by nothing else', async () => {
  const own = await shop('Nnalongo Ŋŋoma Emporium')
  const other = await shop('Another Shop')
  const person = await signedInAs(service, own)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: own.number, phone: '0772555123' })
  const operator = await operatorSignedIn(service, 'support')
  const seeks = async (q: string) => {
    const page = await operator.get(`/console/merchants?q=${encodeURIComponent(q)}`)
    assert.equal(page.status, 200, q)
    return [page.text.includes(own.id), page.text.includes(other.id)]
  }
  for (const q of ['nnalongo', 'ŊŊOMA emp', own.handle, own.id, person.email.toUpperCase(), '0772 555 123'])
    assert.deepEqual(await seeks(q), [true, false], q)
  for (const q of ['alongo', 'nnalongo market', '0772555124', 'nobody@x.invalid', `&|!:*()'"`])
    assert.deepEqual(await seeks(q), [false, false], q)
})

test('what a merchant made for its tests is in no list, and is found by its id and handle', async () => {
  const own = await shop('Parent of tests')
  const made = await makeAccount(service.client(own.keys.test), { name: 'Zebra test' })
  const { id, keys } = made.body
  const { handle } = (await service.client(keys.full).get('/v1/me')).body
  const operator = await operatorSignedIn(service, 'support')
  const finds = async (query: string) => (await operator.get(`/console/merchants${query}`)).text.includes(id)
  for (const query of ['', '?q=zebra', '?active=yes', '?verification=pending'])
    assert.equal(await finds(query), false, query)
  for (const query of [`?q=${id}`, `?q=${handle}`]) assert.equal(await finds(query), true, query)
  const page = `/console/merchants/${id}`
  assert.match((await operator.get(page)).text, new RegExp(`Made for tests by.*${own.id}`, 's'))
  await removeAccount(service.client(own.keys.test), id)
  const { answer } = await act('risk', page, '/reopen', { reason: 'it was useful' })
  assert.match(mainOf(answer), /this business was made for tests: it stays closed/)
})

test('the list leads both ways, and its filters tell merchants apart', async () => {
  for (let made = 0; made < 27; made += 1) await shop(`Row ${made}`)
  const operator = await operatorSignedIn(service, 'finance')
  const ids = (text: string) => [...text.matchAll(/\/console\/merchants\/(mer_\w+)"/g)].map(([, id]) => id)
  const first = await operator.get('/console/merchants')
  const older = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&')
  assert.ok(older)
  const second = await operator.get(older)
  const newer = /href="([^"]*before=[^"]*)"/.exec(second.text)?.[1]?.replaceAll('&amp;', '&')
  assert.ok(newer)
  assert.deepEqual(ids((await operator.get(newer)).text), ids(first.text))
  assert.equal(ids(first.text).length, 25)
  assert.equal(new Set([...ids(first.text), ...ids(second.text)]).size, 25 + ids(second.text).length)
  const odd = await shop('Odd One')
  await service.rows(
    'update cell_0.merchants set active = false, vending_enabled = true, kyc_status = $2 where public_id = $1',
    [odd.id, 'rejected'],
  )
  await service.rows(`update ledger_heads set payouts_frozen_for = 'drill' where merchant_id = $1 and mode = 'live'`, [
    odd.number,
  ])
  for (const filter of ['active=no', 'frozen=yes', 'vending=yes', 'verification=rejected'])
    assert.deepEqual(ids((await operator.get(`/console/merchants?${filter}`)).text), [odd.id], filter)
})

test('deactivating and setting limits take effect, and the merchant reads why and since when, not by whom', async () => {
  const own = await shop('Told Everything')
  const why = 'The address on your page is not yours'
  const { operator, answer } = await act('risk', own.page, '/deactivate', { says: why })
  assert.equal(answer.status, 303, answer.text)
  assert.equal((await factsOf(own.id))?.active, false)
  const limited = await operator.send(await operator.get(own.page), '/limits', {
    charge_limit: '250,000',
    payout_limit: '',
  })
  assert.equal(limited.status, 303)
  assert.deepEqual([(await factsOf(own.id))?.charge_limit, (await factsOf(own.id))?.payout_limit], [250_000, null])
  const person = await signedInAs(service, own)
  const home = mainOf(await person.get('/dashboard'))
  assert.match(home, /The account is deactivated since \d+ \w+ \d{4}, \d\d:\d\d/)
  assert.ok(home.includes(why))
  const business = mainOf(await person.get('/dashboard/settings/business'))
  assert.match(business, /We set your limits: charges up to UGX 250,000, payouts as usual/)
  assert.match(mainOf(await person.get('/dashboard/settings/limits')), /set these for your business on/)
  await service.run('raise-alerts')
  const [alert] = await service.rows<{ says: string }>(
    `select says from alerts where kind = 'merchant_terms' and subject like '%' || $1`,
    [own.id],
  )
  assert.match(alert?.says ?? '', /changed what decides about money of mer_\w+, 1 times in a day: merchant\.terms/)
  await operator.send(await operator.get(own.page), '/activate')
  assert.deepEqual(
    [(await factsOf(own.id))?.active, (await factsOf(own.id))?.inactive_since, (await factsOf(own.id))?.inactive_for],
    [true, null, null],
  )
})

test('a freeze by one person ends by itself when it was given an end, and never earlier than an earlier one', async () => {
  const own = await shop('Frozen Goods')
  const head = async () =>
    (
      await service.rows<{ why: string | null; until: Date | null }>(
        `select payouts_frozen_for as why, payouts_frozen_until as until from ledger_heads where merchant_id = $1 and mode = 'live'`,
        [own.number],
      )
    )[0]
  const says = 'We ask your bank about a transfer'
  await act('support', own.page, '/freeze', { reason: 'call from Jane at the bank', says, hours: '2' })
  const person = await signedInAs(service, own)
  const home = mainOf(await person.get('/dashboard'))
  assert.match(home, /Live payouts are frozen since .*, until .* at most/)
  assert.ok(home.includes(says) && !home.includes('Jane'))
  assert.doesNotMatch(mainOf(await person.get('/dashboard/test')), /are frozen/)
  await act('support', own.page, '/freeze', { reason: 'again', hours: '1' })
  service.pass(HOUR_MS + 1)
  await service.run('follow-freeze')
  assert.equal((await head())?.why, 'again')
  service.pass(HOUR_MS)
  await service.run('follow-freeze')
  assert.deepEqual(await head(), { why: null, until: null })
  await act('risk', own.page, '/freeze', { reason: 'for good' })
  await act('support', own.page, '/freeze', { reason: 'until tomorrow', hours: '24' })
  service.pass(25 * HOUR_MS)
  await service.run('follow-freeze')
  assert.equal((await head())?.why, 'until tomorrow')
  const { answer } = await act('risk', own.page, '/freeze', { reason: 'x', hours: '9999' })
  assert.match(mainOf(answer), /until must be a time within the next 366 days/)
  const rows = await service.rows<{ action: string; actor_kind: string }>(
    `select action, actor_kind from cell_0.audit where merchant_id = $1 and action like 'payouts.%' order by id`,
    [own.number],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['payouts.freeze', 'payouts.freeze', 'payouts.freeze-ends', 'payouts.freeze', 'payouts.freeze'],
  )
})

test('an admin closes the account of a merchant, which nothing changes then; one without money is closed within minutes', async () => {
  const empty = await shop('Never Used')
  const { operator, answer } = await act('admin', empty.page, '/close', { says: 'You asked for it' })
  assert.equal(answer.status, 303)
  const closing = await operator.get(empty.page)
  assert.match(mainOf(closing), /closing.*The account closes We asked for it\./)
  assert.ok(!closing.forms.some(({ action }) => /\/(?:activate|close)$/.test(action)))
  service.pass(120_000)
  await service.run('close-accounts')
  const page = await operator.get(empty.page)
  assert.match(mainOf(page), /closed/)
  assert.ok(page.forms.some(({ action }) => /\/reopen\b/.test(action)))
  const other = await operator.get((await shop('Another')).page)
  const { fields } = other.forms.find(({ action }) => /\/deactivate\b/.test(action)) ?? { fields: {} }
  const again = await operator.post(`${empty.page}/activate`, fields)
  assert.match(mainOf(again), /this merchant was closed and cannot be changed/)
})

test('a role that may not do something has no form for it, and is refused when it sends one', async () => {
  const own = await shop('Role Table')
  const allowed: Record<string, StaffRole[]> = {
    deactivate: ['risk', 'admin'],
    limits: ['risk', 'admin'],
    rates: ['risk', 'admin'],
    'instant/on': ['risk', 'admin'],
    'vending/on': ['risk', 'admin'],
    close: ['admin'],
    freeze: ['support', 'risk', 'finance', 'admin'],
    notes: ['support', 'risk', 'finance', 'admin'],
  }
  for (const role of ['support', 'risk', 'finance', 'admin'] as const) {
    const operator = await operatorSignedIn(service, role)
    const page = await operator.get(own.page)
    const csrf = page.forms.find(({ method }) => method === 'post')?.fields.csrf ?? ''
    for (const [end, roles] of Object.entries(allowed)) {
      const has = page.forms.some(({ action }) => action.endsWith(`/${end}`))
      assert.equal(has, roles.includes(role), `${role} ${end}`)
      if (!has) assert.equal((await operator.post(`${own.page}/${end}`, { csrf, says: 'x' })).status, 403)
    }
  }
})

test('notes stay among operators, and the pages of a merchant name no operator whatever was done to it', async () => {
  const own = await shop('Looked After')
  const names: string[] = []
  const done = async (role: StaffRole, end: string, fields: Record<string, string> = {}) => {
    const { operator, answer } = await act(role, own.page, end, fields)
    assert.equal(answer.status, 303, `${end} ${mainOf(answer)}`)
    names.push(operator.email, `Test ${role}`)
  }
  await done('support', '/notes', { note: 'Called, spoke with the owner' })
  await done('risk', '/limits', { charge_limit: '1,000', payout_limit: '2,000' })
  await done('risk', '/instant/on')
  await done('admin', '/vending/on')
  await done('finance', '/freeze', { reason: 'internal words', says: 'a check' })
  await done('support', '/look', { reason: 'asked by phone' })
  await done('risk', '/deactivate', { says: 'moved' })
  const operator = await operatorSignedIn(service, 'admin')
  const console_ = mainOf(await operator.get(own.page))
  assert.ok(console_.includes('Called, spoke with the owner'))
  assert.ok(mainOf(await operator.get(`${own.page}/audit`)).includes(names[2] ?? ''))
  const person = await signedInAs(service, own)
  const settings = ['audit', 'business', 'limits', 'people'].map((name) => `/settings/${name}`)
  for (const path of ['', ...settings, '/go-live', '/verification']) {
    const page = await person.get(`/dashboard${path}`)
    assert.equal(page.status, 200, path)
    for (const hidden of [...names, 'Called, spoke', 'internal words', 'asked by phone'])
      assert.ok(!page.text.includes(hidden), `${path} has ${hidden}`)
  }
  assert.match(mainOf(await person.get('/dashboard/settings/audit')), /merchant\.view-as/)
})
