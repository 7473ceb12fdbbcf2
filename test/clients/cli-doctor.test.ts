import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { opened, openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { answering } from '../helpers/web/webhooks.ts'
import { type CliUser, openedCli } from './cli-program.ts'

const receiver = opened(() => startReceiver())
// With its background work, because a ping is waited for.
const service = openedAndVerified(() => startService({ role: 'all', env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const cli = openedCli()

async function shop(webhookUrl?: string) {
  const merchant = await service.merchant()
  if (webhookUrl !== undefined) await service.set(merchant, { webhookUrl })
  return { merchant, user: cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: merchant.keys.test }) }
}

async function findings(user: CliUser, words = ''): Promise<Record<string, [state: string, text: string]>> {
  const { findings } = await user.json(`doctor ${words}`)
  return Object.fromEntries(findings.map(({ check, state, text }: any) => [check, [state, text]]))
}

const statesOf = (found: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(found).map(([check, [state]]) => [check, state]))

test('all is well: the service pings the address, and each check says so', async () => {
  receiver.behave(answering(204))
  const { user } = await shop(receiver.url)
  const ran = await user.run('doctor')
  assert.equal(ran.code, 0, ran.stdout)
  const found = await findings(user)
  const ok = { service: 'ok', 'config file': 'ok', clock: 'ok', key: 'ok', 'webhooks 1': 'ok', signature: 'ok' }
  assert.deepEqual(statesOf(found), ok)
  assert.match(found['webhooks 1']?.[1] ?? '', new RegExp(`^${receiver.url} took evt_\\w+, answer 204$`))
  assert.match(found.key?.[1] ?? '', /, test mode, scope full, from GATEWAY_API_KEY/)
  assert.equal(receiver.received.at(-1)?.event.event, 'test.ping')
  const before = receiver.received.length
  assert.match((await findings(user, '--no-ping'))['webhooks 1']?.[1] ?? '', /, not pinged$/)
  assert.equal(receiver.received.length, before)
})

test('an address that refuses, none at all, and an open file are found', async () => {
  receiver.behave(answering(500))
  const { user } = await shop(receiver.url)
  const ran = await user.run('doctor')
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^webhooks 1 +failed +http.*: .*500/m)
  const bare = (await shop()).user
  await bare.run('listen --print-secret')
  chmodSync(join(bare.home, '.config', 'mmg', 'config.json'), 0o644)
  const found = await findings(bare)
  assert.deepEqual(found.webhooks, [
    'warning',
    'no address is set: Developers, Webhooks on the dashboard, or mmg listen',
  ])
  assert.match(found['config file']?.join(' ') ?? '', /^warning others can read .*: chmod 600 it, and rotate the key$/)
})

test('a wrong key, a wrong address and a wrong clock are told apart', async () => {
  const { merchant, user } = await shop()
  const wrong = cli.newUser({ ...user.settings, GATEWAY_API_KEY: 'sk_test_nobody' })
  const key = await findings(wrong)
  assert.deepEqual(statesOf(key), { service: 'ok', 'config file': 'ok', clock: 'ok', key: 'failed', signature: 'ok' })
  const away = cli.newUser({ ...user.settings, GATEWAY_URL: `http://127.0.0.1:${await freePort()}` })
  const service = await findings(away)
  assert.match(service.service?.join(' ') ?? '', /^failed http:.*: no answer: ECONNREFUSED/)
  for (const [seconds, state, says] of [
    [400, 'failed', /^(?:399|4\d\d) s ahead of that of the service: set it, requests are refused$/],
    [-40, 'warning', /^(?:39|4\d) s behind that of the service$/],
  ] as const) {
    const program = `const real = Date.now; Date.now = () => real() + ${seconds * 1000}`
    const shifted = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
    const found = await findings(cli.newUser({ ...user.settings, ...shifted }))
    assert.equal(found.clock?.[0], state, found.clock?.[1])
    assert.match(found.clock?.[1] ?? '', says)
  }
  const live = cli.newUser({ ...user.settings, GATEWAY_API_KEY: merchant.keys.live })
  assert.match((await findings(live)).key?.join(' ') ?? '', /^warning .*: it moves real money$/)
})
