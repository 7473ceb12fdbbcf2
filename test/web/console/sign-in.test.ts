import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getStaffByEmail, inviteStaff, resetStaff } from '../../../src/merchants/people/staff/invite-staff.ts'
import { assertRefused } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { codeOf, secretIn } from '../../helpers/web/authenticator.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { enrolled, MACHINE, OPERATOR_PASSWORD, openLink } from '../../helpers/web/enrolling.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

const MINUTE = 60_000
const SIGN_IN = '/console/sign-in'
const service = openedAndVerified(() => startService())
const { json, run } = commandsOn(service)
const pathOf = (link: string) => link.slice(new URL(link).origin.length)
const password = OPERATOR_PASSWORD

test('A77: admin create makes the first operator by a link that shows the secret and works once', async () => {
  const { link } = await json('admin', 'create', '--email', 'First@Gateway.invalid')
  assert.match(link, /^http:\/\/[^/]+\/console\/join\?link=[\w-]{43}$/)
  const stranger = browserOf(service)
  const page = await stranger.get(pathOf(link))
  assert.match(page.text, /otpauth:\/\/totp\//)
  assert.match(mainOf(page), /as First@Gateway.invalid, in the role admin/)
  const secret = secretIn(page.text)
  assert.equal(secretIn((await stranger.get(pathOf(link))).text), secret, 'the same over reloads')
  assert.ok(secretIn((await browserOf(service).get(pathOf(link))).text) === secret, 'and in another browser')
  for (const [fields, says] of [
    [{ password: 'short', code: codeOf(service, secret) }, /password must be 12 to 128 characters/],
    [{ password, code: '000000' }, /code is wrong: take the one that the app shows now/],
    [{ password, code: '' }, /Code: fill this in/],
  ] as const) {
    const refused = await stranger.send(page, '/join', fields)
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), says)
  }
  assert.deepEqual(await service.rows(`select 1 from people where realm = 'operator'`), [])
  const { reply, browser, codes } = await openLink(service, link)
  assert.equal(reply.status, 200, mainOf(reply))
  assert.equal(new Set(codes).size, 10)
  assert.match(mainOf(await browser.get('/console')), /^Home/)
  const [operator] = await service.rows(
    `select p.operator_role, p.email, f.last_step is not null as used from people p join factors f on f.person_id = p.id
     where p.realm = 'operator'`,
  )
  assert.deepEqual(operator, { operator_role: 'admin', email: 'First@Gateway.invalid', used: true })
  const gone = await browserOf(service).get(pathOf(link))
  assert.equal(gone.status, 410)
  assert.match(mainOf(gone), /This link does not work any more/)
  assert.equal((await browserOf(service).post('/console/join', { ...linkIn(link), password, code: '1' })).status, 410)
  assertRefused(await run('admin', 'create', '--email', 'first@gateway.invalid'), {
    code: 1,
    says: /email belongs to an operator already/,
  })
  const [, made] = await service.rows<{ action: string; actor_kind: string }>(
    `select action, actor_kind from directory.audit where action like 'operator.%' order by id`,
  )
  assert.deepEqual(made, { action: 'operator.enrol', actor_kind: 'public' })
})

const linkIn = (link: string) => ({ link: new URL(link).searchParams.get('link') ?? '' })

test('A77: a link of a command ends after an hour, and a newer one to the same address ends it', async () => {
  const ask = async () => (await json('admin', 'create', '--email', 'late@gateway.invalid', '--role', 'risk')).link
  const first = await ask()
  const second = await ask()
  assert.equal((await browserOf(service).get(pathOf(first))).status, 410)
  assert.match(mainOf(await browserOf(service).get(pathOf(second))), /in the role risk/)
  service.pass(61 * MINUTE)
  assert.equal((await browserOf(service).get(pathOf(second))).status, 410)
  const kept = await service.rows('select 1 from one_time_links where used_at is not null and sealed is not null')
  assert.deepEqual(kept, [], 'the secret goes with its link')
})

test('of two that open one link at once one has the account', async () => {
  const { link } = await inviteStaff(service.gateway, MACHINE, {
    email: 'two@gateway.invalid',
    role: 'risk',
  })
  const replies = await Promise.all([openLink(service, link), openLink(service, link)])
  assert.deepEqual(replies.map(({ reply }) => reply.status).sort(), [200, 410])
})

test('a sign-in asks for the code at the same address, and each code works once', async () => {
  const { email, secret } = await enrolled(service, 'finance')
  const browser = browserOf(service)
  assert.equal((await browser.get('/console/security')).location, `${SIGN_IN}?then=%2Fconsole%2Fsecurity`)
  const page = await browser.get(`${SIGN_IN}?then=%2Fconsole%2Fsecurity`)
  assert.doesNotMatch(page.text, /sign-up|forgot/)
  const first = await browser.send(page, SIGN_IN, { email, password })
  assert.equal(first.location, `${SIGN_IN}?then=%2Fconsole%2Fsecurity`)
  assert.equal((await browser.get('/console')).status, 303, 'half a sign-in opens nothing')
  const asks = await browser.follow(first)
  assert.match(mainOf(asks), /Your second factor/)
  const used = await browser.send(asks, SIGN_IN, { code: codeOf(service, secret) })
  assert.equal(used.status, 401, 'the code of the enrolment is used up')
  service.pass(31_000)
  const code = codeOf(service, secret)
  const right = await browser.send(asks, SIGN_IN, { code })
  assert.equal(right.location, '/console/security')
  assert.equal((await browser.get('/console')).status, 200)
  const replay = await browserOf(service).post(SIGN_IN, { email, password, code })
  assert.equal(replay.status, 401)
  assert.match(mainOf(replay), /this code is wrong, or was used already/)
  for (const then of ['/dashboard', '/consolex', '//evil.example', 'https://evil.example/console']) {
    service.pass(31_000)
    const reply = await browserOf(service).post(SIGN_IN, {
      email,
      password,
      code: codeOf(service, secret),
      then,
    })
    assert.equal(reply.location, '/console', then)
  }
  assert.match(right.setCookies.join('\n'), /^console=[^;]+; .*HttpOnly/m)
  await browser.send(await browser.get('/console'), '/console/sign-out', {})
  assert.equal((await browser.get('/console')).status, 303)
})

test('a recovery code signs in once in the place of a code', async () => {
  const { email, codes } = await enrolled(service, 'support')
  const [code = ''] = codes
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password, code })).location, '/console')
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password, code })).status, 401)
})

test('A71: a wrong password and an address that nobody has are answered alike, and realms know nothing of each other', async () => {
  const { email } = await enrolled(service, 'support')
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const says = async (address: string, at = SIGN_IN) => {
    const reply = await browserOf(service).post(at, { email: address, password: 'not this one here' })
    return { status: reply.status, says: mainOf(reply) }
  }
  const wrong = await says(email)
  assert.equal(wrong.status, 401)
  assert.deepEqual(await says('nobody@gateway.invalid'), wrong)
  assert.deepEqual(await says(owner.email), wrong)
  assert.equal((await browserOf(service).post('/dashboard/sign-in', { email, password })).status, 401)
})

test('A70: five wrong passwords lock for half an hour, without a link in the mail, and not for the merchants', async () => {
  const { email, secret, browser: known } = await enrolled(service, 'support')
  const guess = async (address: string) =>
    browserOf(service).post(SIGN_IN, { email: address, password: 'a wrong password' })
  for (let tries = 1; tries <= 7; tries += 1) {
    const [real, none] = [await guess(email), await guess('no-such@gateway.invalid')]
    assert.equal(mainOf(real), mainOf(none), `try ${tries}`)
    assert.equal(real.status, tries <= 5 ? 401 : 403)
    service.pass(MINUTE)
  }
  const locked = await browserOf(service).post(SIGN_IN, { email, password })
  assert.match(
    mainOf(locked),
    /locked for 30 minutes. If it has an account, its owner has a mail from us E-mail address/,
  )
  const [mail] = await mailsTo(service, email)
  assert.equal(mail?.template, 'operator-locked')
  assert.equal(mail?.values.link, undefined)
  await known.send(await known.get('/console'), '/console/sign-out', {})
  const code = codeOf(service, secret)
  assert.equal((await known.post(SIGN_IN, { email, password, code })).location, '/console', 'a known browser')
  service.pass(31 * MINUTE)
  const open = await browserOf(service).post(SIGN_IN, { email, password, code: codeOf(service, secret) })
  assert.equal(open.location, '/console')
})

test('A72: an operator without a factor is not let in, and the last one cannot be removed', async () => {
  const { email, browser } = await enrolled(service, 'risk')
  const page = await browser.get('/console/security')
  const refused = await browser.send(page, '/remove', {})
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /an operator needs a second factor: add another one first/)
  const counted = () =>
    service.rows(`select 1 from factors f join people p on p.id = f.person_id where p.email = $1`, [email])
  assert.equal((await counted()).length, 1)
  await service.rows('delete from factors where person_id = (select id from people where email = $1)', [email])
  const alone = await browserOf(service).post(SIGN_IN, { email, password })
  assert.equal(alone.status, 403)
  assert.match(mainOf(alone), /this account has no second factor/)
})

test('one’s own account: a new password ends the other sessions, and there is no other e-mail address', async () => {
  const { browser, email, secret } = await enrolled(service, 'finance')
  service.pass(31_000)
  const other = browserOf(service)
  await other.post(SIGN_IN, { email, password, code: codeOf(service, secret) })
  const page = await browser.get('/console/security')
  assert.doesNotMatch(page.text, /security\/(?:email|confirmation)/)
  const done = await browser.send(page, '/security/password', { password: 'another four words here' })
  assert.equal(done.location, '/console/security')
  assert.match(mainOf(await browser.follow(done)), /Your password is changed/)
  assert.equal((await other.get('/console')).status, 303)
  assert.equal((await browserOf(service).post('/console/forgot', { email })).status, 303)
  assert.deepEqual(
    (await mailsTo(service, email)).map(({ template }) => template),
    ['password-changed'],
  )
})

test('admin reset-password: a new password and a new authenticator, and everything of before ends', async () => {
  const { email, browser, secret, codes } = await enrolled(service, 'admin')
  assertRefused(await run('admin', 'reset-password', '--email', 'none@gateway.invalid'), {
    code: 1,
    says: /operator not found/,
  })
  // The command has a clock of its own, which is behind the service's by now.
  const { link } = await resetStaff(service.gateway, MACHINE, await getStaffByEmail(service.gateway, email))
  assert.match(link, /\/console\/reset\?link=/)
  assert.equal((await browser.get('/console')).status, 200, 'nothing ends before the link is used')
  const again = await openLink(service, link, { password: 'quite another four words' })
  assert.equal(again.reply.status, 200, mainOf(again.reply))
  assert.notEqual(again.secret, secret)
  assert.equal((await browser.get('/console')).status, 303)
  assert.equal((await again.browser.get('/console')).status, 200)
  service.pass(31_000)
  const tryIn = async (fields: Record<string, string>) =>
    (await browserOf(service).post(SIGN_IN, { email, ...fields })).status
  const fresh = { password: 'quite another four words' }
  assert.equal(await tryIn({ password, code: codeOf(service, again.secret) }), 401)
  assert.equal(await tryIn({ ...fresh, code: codeOf(service, secret) }), 401)
  assert.equal(await tryIn({ ...fresh, code: codes[0] ?? '' }), 401)
  assert.equal(await tryIn({ ...fresh, code: codeOf(service, again.secret) }), 303)
  assert.equal((await browserOf(service).get(pathOf(link))).status, 410)
  const rows = await service.rows<{ action: string }>(
    `select action from directory.audit where action like 'operator.%' order by id desc limit 2`,
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['operator.enrol', 'operator.reset'],
  )
})
