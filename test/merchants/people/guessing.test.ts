import assert from 'node:assert/strict'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const SIGN_IN = '/dashboard/sign-in'
const PASSWORD = 'four words of mine'
const MINUTE = 60_000
const service = opened(() => startService({ env: { RATE_LIMIT_SIGN_IN: '10', TRUSTED_PROXIES: '1' } }))
// The same without limits a minute, to measure.
const unlimited = opened(() => startService())
const shop = made(() => service.merchant())
const other = made(() => unlimited.merchant())

const from = (at: typeof service, address: string) => browserOf(at, { 'x-forwarded-for': address })

longTest(
  'A70: a thousand guesses from fifty addresses lock the account, and never tell it from one that nobody has',
  async () => {
    const person = await signedInAs(service, shop)
    await service.rows('update people set password = $2 where id = $1', [person.personId, await hashPassword(PASSWORD)])
    const nobody = person.email.replace('owner-', 'nobody')
    const guess = async (email: string, number: number) => {
      const address = `203.0.113.${number % 50}`
      const reply = await from(service, address).post(SIGN_IN, { email, password: `guess number ${number}` })
      return `${reply.status} ${mainOf(reply).replace(/retry in \d+ seconds/, 'retry later')}`
    }
    const seen = new Map<string, number>()
    for (let round = 0; round < 10; round += 1) {
      // Both at the same moment of the same minute, from two sets of addresses.
      const numbers = Array.from({ length: 50 }, (_, at) => round * 50 + at)
      for (const number of numbers) {
        const real = await guess(person.email, number)
        seen.set(real.slice(0, 3), (seen.get(real.slice(0, 3)) ?? 0) + 1)
        const none = await guess(nobody, number)
        assert.equal(real, none, `guess ${number}`)
      }
      service.pass(MINUTE)
    }
    assert.deepEqual([...seen.keys()].sort(), ['401', '403', '429'])
    assert.equal(seen.get('401'), 5, 'five passwords were looked at')
    assert.equal(
      (await mailsTo(service, person.email)).filter(({ template }) => template === 'account-locked').length,
      1,
    )
    assert.equal((await mailsTo(service, nobody)).length, 0)
  },
)

test('an address may try ten times a minute, whoever it tries', async () => {
  const browser = from(service, '198.51.100.7')
  const states: number[] = []
  for (let tries = 0; tries < 12; tries += 1)
    states.push((await browser.post(SIGN_IN, { email: `p${tries}@x.invalid`, password: 'a wrong password' })).status)
  assert.deepEqual(states, [...Array(10).fill(401), 429, 429])
})

test('A70: an owner gets in in the own browser while strangers use up the tries of a minute, claims of the address or not', async () => {
  const email = 'flooded@x.invalid'
  const owner = from(service, '198.51.100.20')
  await owner.post('/dashboard/sign-up', { business: 'B', email, password: PASSWORD })
  await service.rows('update people set confirmed_at = now() where email = $1', [email])
  const claim = { business: 'C', email, password: 'four words of a thief' }
  await from(service, '198.51.100.21').post('/dashboard/sign-up', claim)
  await owner.send(await owner.get('/dashboard'), '/dashboard/sign-out', {})
  const states = await Promise.all(
    Array.from({ length: 12 }, (_, number) =>
      from(service, `198.51.100.${30 + number}`).post(SIGN_IN, { email, password: `guess number ${number}` }),
    ),
  )
  assert.ok(states.some(({ status }) => status === 429))
  assert.equal((await owner.post(SIGN_IN, { email, password: PASSWORD })).status, 303)
})

test('a minute of sign-ups and of mailed links has a limit too', async () => {
  const states = async (path: string, fields: (number: number) => Record<string, string>) => {
    const browser = from(service, '198.51.100.8')
    const replies = await Promise.all(Array.from({ length: 12 }, (_, number) => browser.post(path, fields(number))))
    return replies.filter(({ status }) => status === 429).length
  }
  assert.equal(await states('/dashboard/forgot', (number) => ({ email: `p${number}@x.invalid` })), 2)
  const signUp = (number: number) => ({ business: 'B', email: `b${number}@x.invalid`, password: PASSWORD })
  assert.equal(await states('/dashboard/sign-up', signUp), 2)
})

longTest('A71: a wrong password takes as long as an address that nobody has', async () => {
  const person = await signedInAs(unlimited, other)
  await unlimited.rows('update people set password = $2 where id = $1', [person.personId, await hashPassword(PASSWORD)])
  // The work of this process, its threads included: on a crowded machine the time until the answer tells nothing.
  const work: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  for (let round = 0; round < 30; round += 1)
    for (const [kind, email] of [
      ['known', person.email],
      ['unknown', `nobody${round % 7}@x.invalid`],
    ] as const) {
      await unlimited.rows('delete from sign_in_misses')
      const before = process.cpuUsage()
      const { status } = await browserOf(unlimited).post(SIGN_IN, { email, password: 'a wrong password' })
      const { user, system } = process.cpuUsage(before)
      work[kind].push((user + system) / 1000)
      assert.equal(status, 401)
    }
  const median = (values: number[]) => values.sort((a, b) => a - b)[15] ?? 0
  const ratio = median(work.known) / median(work.unknown)
  assert.ok(ratio > 0.7 && ratio < 1.4, `${median(work.known)} and ${median(work.unknown)} ms`)
})

longTest('who comes when many passwords are being checked is told to come again, and payments go on', async () => {
  const { keys } = await unlimited.merchant()
  const tries = Array.from({ length: 90 }, (_, number) =>
    browserOf(unlimited).post(SIGN_IN, { email: `p${number}@x.invalid`, password: 'a wrong password' }),
  )
  const charge = await unlimited.client(keys.test).charge()
  assert.equal(charge.status, 201)
  const states = (await Promise.all(tries)).map(({ status }) => status)
  assert.ok(states.includes(401) && states.includes(503), states.join())
  assert.deepEqual([...new Set(states)].sort(), [401, 503])
})
