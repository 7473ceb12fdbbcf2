import assert from 'node:assert/strict'
import test from 'node:test'
import { newId, newTag } from '../../../src/platform/text/ids.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const person = opened(() => startReceiver())
const service = opened(() => startService({ env: { ALERT_WEBHOOK: person.url } }))

const look = () => service.run('raise-alerts')
const posted = (kind: string) => person.received.map(({ event }) => event).filter((one) => one?.kind === kind)
const freeze = (reason: string | null) => service.rows('update cell_0.payout_stops set frozen_for = $1', [reason])

async function quiet() {
  await freeze(null)
  service.pass(11 * MINUTE)
  await look()
  service.pass(11 * MINUTE)
  await look()
}

test('a worker that falls silent, limits that were not counted and lost log lines wake a person', async () => {
  const now = service.clock.now()
  await service.rows(
    `insert into directory.processes (id, role, started_at, seen_at, uncounted, uncounted_at, dropped, dropped_at)
     values ('planted-worker', 'worker', $1, $1, 4, $1, 9, $1)`,
    [now],
  )
  await look()
  assert.equal(posted('worker_silent').length, 0)
  assert.match(posted('limiter_down')[0].alerts[0].says, /let 4 requests pass without counting them/)
  assert.match(posted('log_dropped')[0].alerts[0].says, /dropped 9 lines of its log/)
  service.pass(61_000)
  await look()
  assert.equal(posted('worker_silent').length, 1)
  await service.rows(`delete from directory.processes where id = 'planted-worker'`)
  await quiet()
})

test('acts on keys are told once, and what a person has closed stays closed', async () => {
  const at = service.clock.now()
  await service.rows(
    `insert into directory.audit (at, actor_kind, actor, origin, action) values ($1, 'command', 'root', '', 'secrets.rewrap')`,
    [at],
  )
  await look()
  assert.match(posted('master_key')[0].alerts[0].says, /^secrets.rewrap by root/)
  const operator = await operatorSignedIn(service, 'risk')
  const list = await operator.get('/console/alerts')
  const id = /href="\/console\/alerts\/(\d+)"[^>]*>master key/.exec(list.text)?.[1]
  assert.ok(id)
  const page = await operator.get(`/console/alerts/${id}`)
  const empty = await operator.send(page, `/console/alerts/${id}/close`, { note: 'no' })
  assert.equal(empty.status, 400)
  assert.match(mainOf(empty), /note must be a sentence/)
  const closed = await operator.send(page, `/console/alerts/${id}/close`, {
    note: 'We changed the key on purpose.',
  })
  assert.equal(closed.status, 303)
  await look()
  const rows = await service.rows<{ note: string; closed: boolean }>(
    `select note, closed_at is not null as closed from alerts where kind = 'master_key'`,
  )
  assert.deepEqual(rows, [{ note: 'We changed the key on purpose.', closed: true }])
  const audited = await service.rows(`select 1 from directory.audit where action = 'alert.close'`)
  assert.equal(audited.length, 1)
  const again = await operator.post(`/console/alerts/${id}/close`, {
    csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
    note: 'Once more.',
  })
  assert.match(mainOf(again), /this alert is over already/)
})

test('an operator who is let in, and a role that is changed, wake a person; an invitation by an operator does not', async () => {
  const act = (kind: string, actor: string, action: string) =>
    service.rows(
      `insert into directory.audit (at, actor_kind, actor, origin, action, subject) values ($1, $2, $3, '', $4, 'per_x')`,
      [service.clock.now(), kind, actor, action],
    )
  await act('operator', 'ann@gateway.invalid', 'operator.invite')
  await act('public', 'visitor', 'operator.enrol')
  await act('operator', 'ann@gateway.invalid', 'operator.role')
  await look()
  const says = () => posted('operators_changed').map(({ alerts }) => alerts[0].says.replace(/ at [^;]*/g, ''))
  const first = 'per_x got another role by ann@gateway.invalid; per_x was let in by visitor'
  assert.deepEqual(says(), [first])
  service.pass(11 * MINUTE)
  await look()
  assert.deepEqual(says(), [first], 'nothing is new')
  await act('public', 'visitor', 'operator.enrol')
  await look()
  assert.deepEqual(says(), [first, `per_x was let in by visitor; ${first}`], 'each new act is told')
  service.pass(25 * HOUR)
  await look()
  const open = await service.rows(`select 1 from alerts where kind = 'operators_changed' and closed_at is null`)
  assert.deepEqual(open, [], 'over after a day')
})

test('an alert that was closed by hand opens again when the next look finds it', async () => {
  await freeze('a long drill')
  await look()
  const operator = await operatorSignedIn(service, 'admin')
  const [alert] = await service.rows<{ id: number }>(
    `select id from alerts where kind = 'payouts_frozen' and closed_at is null`,
  )
  const page = await operator.get(`/console/alerts/${alert?.id}`)
  await operator.send(page, `/console/alerts/${alert?.id}/close`, { note: 'We know of it.' })
  await look()
  const open = await service.rows(`select 1 from alerts where kind = 'payouts_frozen' and closed_at is null`)
  assert.equal(open.length, 1)
  assert.match(mainOf(await operator.get('/console/alerts')), /payouts frozen .*payouts frozen .*admin-/)
  await quiet()
})

/** Plants an address beside the first one of a merchant that has answered nothing but errors since a time. */
async function plantAddress(merchantId: string, id: string, row: { mode?: string; state: string; since: Date }) {
  await service.rows(
    `insert into cell_0.webhook_addresses (merchant_id, id, mode, number, url, state, state_since, secret, secret_since, failing_since, created_at)
     select m.id, 'wha_' || rpad($2, 21, '0'), $3::mode, 2, 'https://books.invalid/' || $2, $4, $5, '\\x00', $5, $5, $5
     from cell_0.merchants m where m.public_id = $1`,
    [merchantId, id, row.mode ?? 'live', row.state, row.since.toISOString()],
  )
}

test('a live address that fails for a day, or is switched off, is told without where it leads; one of test mode is not', async () => {
  const [failing, off, long, trial] = await Promise.all(['a', 'b', 'c', 'd'].map(() => service.merchant()))
  assert.ok(failing && off && long && trial)
  const ago = (hours: number) => new Date(service.clock.nowMs() - hours * HOUR)
  await plantAddress(failing.id, 'failing', { state: 'active', since: ago(23) })
  await plantAddress(off.id, 'off', { state: 'switched_off', since: ago(100) })
  await plantAddress(long.id, 'long', { state: 'switched_off', since: ago(24 * 8) })
  await plantAddress(trial.id, 'trial', { mode: 'test', state: 'switched_off', since: ago(1) })
  const said = () => posted('address_failing').flatMap(({ alerts }) => alerts.map(({ says }: any) => says as string))
  await look()
  const [first, ...others] = said()
  assert.match(
    first ?? '',
    new RegExp(`^the webhook address wha_off0+ of ${off.id} was switched off after three days of nothing but errors`),
  )
  assert.deepEqual(others, [])
  service.pass(2 * HOUR)
  await look()
  assert.match(
    said().at(-1) ?? '',
    new RegExp(`^the webhook address wha_failing0+ of ${failing.id} has answered nothing but errors for 24 hours`),
  )
  assert.equal(said().length, 2)
  assert.ok(said().every((text) => !text.includes('books.invalid')))
  await service.rows('delete from cell_0.webhook_addresses')
  service.pass(11 * MINUTE)
  await look()
  assert.deepEqual(
    await service.rows(`select 1 from directory.alerts where kind = 'address_failing' and closed_at is null`),
    [],
  )
})

test('the owners of a receiver that takes nothing for a day are told once by mail', async () => {
  const merchant = await service.merchant()
  const publicId = newId('per_', newTag())
  await service.rows(
    `insert into people (public_id, realm, name, email, email_key, confirmed_at, created_at)
     values ($2, 'merchant', 'Owner', 'owner@receiver.invalid', 'owner@receiver.invalid', $1, $1)`,
    [service.clock.now(), publicId],
  )
  const [ids] = await service.rows<{ person: number; merchant: number }>(
    `select p.id as person, m.id as merchant from (select * from people offset 0) p, cell_0.merchants m
     where p.public_id = $2 and m.public_id = $1`,
    [merchant.id, publicId],
  )
  const at = service.clock.now()
  await service.rows(
    `insert into memberships (person_id, merchant_id, role, created_at) values ($1, $2, 'owner', $3)`,
    [ids?.person, ids?.merchant, at],
  )
  await service.rows(
    `insert into events (merchant_id, id, mode, type, subject, body, created_at)
     values ($1, 'evt_planted', 'live', 'charge.succeeded', 'txn_planted', '{}', $2)`,
    [ids?.merchant, at],
  )
  await service.rows(
    `insert into deliveries (merchant_id, event_id, mode, event, attempts, next_attempt_at, url, created_at)
     values ($1, 'evt_planted', 'live', 'charge.succeeded', 5, $2::timestamptz + interval '30 hours', 'https://x.invalid', $2)`,
    [ids?.merchant, at],
  )
  await service.rows(`insert into receivers (merchant_id, lane, good_in_a_row) values ($1, 'slow', 0)`, [ids?.merchant])
  await look()
  assert.deepEqual(await mailsTo(service, 'owner@receiver.invalid'), [])
  service.pass(25 * HOUR)
  await look()
  await look()
  const mails = await mailsTo(service, 'owner@receiver.invalid')
  assert.deepEqual(
    mails.map(({ template, values }) => [template, values.waiting]),
    [['receiver-failing', '1']],
  )
  assert.match(posted('receiver_failing')[0].alerts[0].says, new RegExp(`the receiver of ${merchant.id}`))
})
