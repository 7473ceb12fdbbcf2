import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { openLiveInstallation } from './live-installation.ts'
import { post } from './post.ts'
import { LIVE_PROGRAM, type Running } from './processes.ts'

// A process dies between the commit of a live charge and the call to the operator, which never hears of it. The next process posts
// it once, under the same reference, and the customer pays.
const STEP_MS = 3000
// How long the submit of the dead process may still arrive; a repost waits that long again.
const SUBMIT_LIVES_MS = 30_000
const world = opened(() => openLiveInstallation('reposted'))

const start = (crashPoint?: string): Running =>
  world.installation.start({
    program: { path: LIVE_PROGRAM, args: [world.operator.url, 'all'] },
    ...(crashPoint === undefined ? {} : { crashPoint }),
  })

const send = (key: string) => {
  const body = { amount: 5000, channel: 'op1_momo', customer: { phone: newPayer() } }
  return post(world.installation, '/v1/charges', { apiKey: world.shop.keys.live, key, body })
}

const charges = () =>
  world.installation.sql<{ id: string; status: string; reference: string }>(
    'select id, status, rail_reference as reference from charges',
  )

test('M3: a live charge whose process died before the call is posted by the next one, once, and is paid', async () => {
  const victim = start('charge.stored')
  assert.ok(await victim.ready, victim.said())
  const lost = send('lost').catch(() => null)
  assert.equal((await victim.ended).signal, 'SIGKILL')
  assert.equal(await lost, null)
  assert.equal(world.operator.submits(), 0, 'the operator has never heard of it')
  const next = start()
  assert.ok(await next.ready, next.said())
  world.installation.advance(SUBMIT_LIVES_MS)
  await eventually('it is posted', () => world.operator.submits() > 0)
  const [charge, ...others] = await charges()
  assert.ok(charge)
  assert.deepEqual(others, [])
  world.operator.pays(charge.id)
  await eventually('it has succeeded', async () => {
    world.installation.advance(STEP_MS)
    return (await charges())[0]?.status === 'succeeded'
  })
  assert.equal(world.operator.submits(), 1)
  const [credit] = await world.installation.sql<{ times: number }>(
    `select count(*)::int as times from transfers where subject = $1 and kind = 'charge_net'`,
    [charge.id],
  )
  assert.equal(credit?.times, 1)
  await eventually('the key of the request is answered', async () => {
    const open = await world.installation.sql(
      'select 1 from idempotency_keys where status is null union all select 1 from charges where not published',
    )
    return open.length === 0
  })
  await next.kill()
  const verified = await world.installation.command(['verify'])
  assert.equal(verified.code, 0, JSON.stringify(verified.json))
})
