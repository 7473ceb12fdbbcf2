import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf, type Page } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const FUNDS = '/dashboard/test/funds'
const HOUR_MS = 3_600_000
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

const balance = async () => (await service.client(shop.keys.test).get('/v1/balance')).body.balances[0].available

test('a form says what was done, once, on the page after it', async () => {
  const owner = await signedInAs(service, shop)
  const before = await balance()
  const sent = await owner.send(await owner.get('/dashboard/test'), FUNDS, { amount: 'UGX 12,500' })
  assert.equal(sent.status, 303)
  assert.equal(sent.location, '/dashboard/test')
  assert.match(mainOf(await owner.follow(sent)), /UGX 12,500 of test money was added\./)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard/test')), /was added/)
  assert.equal(await balance(), before + 12_500)
})

test('the same form sent twice, and twenty times at once, happens once and leads to the same page', async () => {
  const owner = await signedInAs(service, shop)
  const before = await balance()
  const fields = { ...formOf(await owner.get('/dashboard/test'), FUNDS).fields, amount: '700' }
  const first = await owner.post(FUNDS, fields)
  const again = await owner.post(FUNDS, fields)
  assert.deepEqual([again.status, again.location], [first.status, first.location])
  assert.equal(await balance(), before + 700)
  const racing = { ...formOf(await owner.get('/dashboard/test'), FUNDS).fields, amount: '900' }
  const replies = await Promise.all(Array.from({ length: 20 }, () => owner.post(FUNDS, racing)))
  for (const { status } of replies) assert.ok(status === 303 || status === 409, `${status}`)
  assert.equal(await balance(), before + 1600)
})

test('a refusal stands beside its field with what was typed, and nothing is written', async () => {
  const owner = await signedInAs(service, shop)
  const page = await owner.get('/dashboard/test')
  const before = await service.digest()
  for (const [amount, says] of [
    ['', /Amount: fill this in/],
    ['12,500x', /Write an amount in whole shillings, such as 12,500/],
    ['0', /amount must be a whole number from 1 to 100,000,000/],
    ['100000001', /amount must be a whole number from 1 to 100,000,000/],
    ['1'.repeat(300), /At most 255 characters/],
  ] as const) {
    const reply = await owner.send(page, FUNDS, { amount })
    assert.equal(reply.status, 400, amount)
    assert.match(mainOf(reply), says)
    assert.match(mainOf(reply), /Nothing was done/)
    assert.equal(formOf(reply, FUNDS).fields.amount, amount)
  }
  assert.equal(await service.digest(), before)
})

test('a refused form says on top that it was, lands at what was wrong, and leads to each field', async () => {
  const owner = await signedInAs(service, shop)
  const page = await owner.get('/dashboard/test')
  assert.ok(page.text.includes(`action="${FUNDS}#funds"`))
  const reply = await owner.send(page, FUNDS, { amount: '12,500x' })
  const at = (text: string) => reply.text.indexOf(text)
  assert.ok(at('This was refused. <a href="#funds">See why</a>') > 0)
  assert.ok(at('This was refused') < at('<div class="fault" role="alert" id="funds" tabindex="-1">'))
  assert.match(reply.text, /<a href="#funds-amount">[^<]+<\/a>: Write an amount in whole shillings/)
  assert.match(reply.text, /id="funds-amount"/)
  assert.equal(reply.text.match(/id="funds"/g)?.length, 1)
  assert.match(reply.text, /<title>This was refused: /)
  assert.doesNotMatch((await owner.get('/dashboard/test')).text, /id="funds"/)
})

test('a form from elsewhere, of another session, without its token or too old is refused', async () => {
  const owner = await signedInAs(service, shop)
  const other = await signedInAs(service, shop)
  const fields: Record<string, string> = {
    ...formOf(await owner.get('/dashboard/test'), FUNDS).fields,
    amount: '100',
  }
  const before = await service.digest()
  const from = (origin?: string) => {
    Object.assign(owner.headers, { 'sec-fetch-site': undefined, origin })
    return owner.post(FUNDS, fields).finally(() => {
      for (const name of ['sec-fetch-site', 'origin']) delete owner.headers[name]
    })
  }
  const refused: [string, Page, RegExp][] = [
    ['no origin', await from(), /not sent from a page of ours/],
    ['another origin', await from('https://elsewhere.example'), /not sent from a page of ours/],
    ['null', await from('null'), /not sent from a page of ours/],
    ['cross-site', await owner.post(FUNDS, fields, { 'sec-fetch-site': 'cross-site' }), /not sent from a page of ours/],
    ['same-site', await owner.post(FUNDS, fields, { 'sec-fetch-site': 'same-site' }), /not sent from a page of ours/],
    ['no csrf', await owner.post(FUNDS, { ...fields, csrf: '' }), /belongs to another sign-in/],
    ['another person', await other.post(FUNDS, fields), /belongs to another sign-in/],
  ]
  for (const [name, reply, says] of refused) {
    assert.equal(reply.status, 403, name)
    assert.match(reply.text, says, name)
  }
  const foreign = { ...fields, csrf: formOf(await other.get('/dashboard/test'), FUNDS).fields.csrf ?? '' }
  const forged = { ...fields, form: `${fields.form?.slice(0, -1)}0` }
  for (const [by, wrong] of [
    [other, foreign],
    [owner, { ...fields, form: '' }],
    [owner, forged.form === fields.form ? { ...fields, form: 'x' } : forged],
  ] as const)
    assert.match(mainOf(await by.post(FUNDS, wrong)), /belongs to another sign-in/)
  assert.equal(await service.digest(), before)
})

test('a form of a session that has ended leads back to its page after the sign-in, and to no other address', async () => {
  const owner = await signedInAs(service, shop)
  const page = '/dashboard/test/links/new'
  const form = formOf(await owner.get('/dashboard/test/links/new'), '/links/new')
  await service.rows('delete from sessions where id = $1', [owner.sessionId])
  const before = await service.digest()
  const sent = (referer: string) => owner.post(form.action, { ...form.fields, amount: '5000' }, { referer })
  const led = await sent(`${service.url}${page}`)
  assert.deepEqual([led.status, led.location], [303, `/dashboard/sign-in?then=${encodeURIComponent(page)}`])
  assert.match(mainOf(await owner.follow(led)), /You were signed out meanwhile, so nothing was done/)
  for (const elsewhere of [
    `https://stranger.invalid${page}`,
    `${service.url}/dashboard/no/such`,
    `${service.url}/pay/@demo`,
    'not an address',
  ])
    assert.equal((await sent(elsewhere)).location, '/dashboard/sign-in', elsewhere)
  assert.equal(await service.digest(), before)
})

test('a form that lay open for half a day is too old, though its person works on', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  const fields: Record<string, string> = {
    ...formOf(await owner.get('/dashboard/test'), FUNDS).fields,
    amount: '100',
  }
  await service.rows(`update sessions set ends_at = ends_at + interval '12 hours' where id = $1`, [owner.sessionId])
  for (let halves = 0; halves < 25; halves += 1) {
    service.pass(HOUR_MS / 2 - 1000)
    assert.equal((await owner.get('/dashboard/test')).status, 200)
  }
  const reply = await owner.post(FUNDS, fields)
  assert.equal(reply.status, 403)
  assert.match(mainOf(reply), /too old, so nothing was done/)
})

test('without a session every address leads to the sign-in, and with one an unknown address is 404', async () => {
  const stranger = browserOf(service)
  for (const path of ['/dashboard', '/dashboard/test', '/dashboard/charges/txn_1', '/dashboard/a/b/c']) {
    const reply = await stranger.get(path)
    assert.equal(reply.status, 303, path)
    assert.match(reply.location ?? '', /^\/dashboard\/sign-in/, path)
  }
  assert.equal((await stranger.post(FUNDS, { amount: '1' })).location, '/dashboard/sign-in')
  const owner = await signedInAs(service, shop)
  for (const path of ['/dashboard/nothing', '/dashboard/test/nothing/at/all']) {
    const reply = await owner.get(path)
    assert.equal(reply.status, 404, path)
    assert.match(mainOf(reply), /There is nothing here/)
  }
})

test('the API takes no cookie, and pages say what browsers must not do with them', async () => {
  const owner = await signedInAs(service, shop)
  assert.equal((await owner.get('/v1/balance')).status, 401)
  const { headers, text } = await owner.get('/dashboard/test', { 'accept-encoding': 'gzip, br' })
  assert.equal(headers.get('content-encoding'), null)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(text, / style="|<style|<script>|onclick=/)
  assert.ok(text.includes(headers.get('x-request-id') ?? 'none'), 'the page shows its reference')
})
