import { createHash, randomBytes } from 'node:crypto'
import { newId, newTag } from '../../src/platform/ids.ts'
import { type Browser, browserOf } from '../helpers/browser.ts'
import { serving, victim } from './serving.ts'
import { killedBy } from './victims.ts'
import type { World } from './world.ts'

const AMOUNT = 700

/** An operator with a session, as if signed in with both factors. */
async function operatorIn({ installation }: World): Promise<Browser> {
  const publicId = newId('per_', newTag())
  const now = installation.clock.now().toISOString()
  const token = randomBytes(32).toString('base64url')
  const digest = createHash('sha256').update(token).digest()
  const [person] = await installation.sql(
    `insert into directory.people (public_id, realm, name, email, email_key, confirmed_at, created_at, operator_role)
     values ($1, 'operator', $2, $2, $2, $3, $3, 'admin') returning id`,
    [publicId, `${publicId}@gateway.invalid`, now],
  )
  await installation.sql(
    `insert into directory.sessions (id, hash, person_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at)
     values ($1, $2, $3, 'in', $4, 'a test', '127.0.0.1', $4, $4, $4::timestamptz + interval '8 hours')`,
    [newId('ses_', newTag()), digest, person?.id, now],
  )
  const browser = browserOf(installation)
  browser.keep(`console=${token}; Path=/`)
  return browser
}

/** An open critical exception of the shop in test mode, which pauses its test payouts. */
async function openedAt({ installation, shop }: World): Promise<string> {
  const [merchant] = await installation.sql('select id, tag from directory.merchants where handle = $1', [
    shop.handle,
  ])
  const id = newId('exc_', merchant?.tag)
  const now = installation.clock.now().toISOString()
  await installation.sql(
    `with opened as (insert into cell_0.exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at)
       values ($1, $2, 'test', 'mismatch', 'critical', $2, '{}', $3, $3) returning id)
     update cell_0.ledger_heads set payouts_paused_by = $2 from opened where merchant_id = $1 and mode = 'test'`,
    [merchant?.id, id, now],
  )
  return id
}

const STATE = `select a.status, (select count(*)::int from cell_0.transfers t join cell_0.adjustments d on d.merchant_id = t.merchant_id
    and d.id = t.subject where d.approval_id = a.id) as posted, e.closed_at is not null as resolved
  from cell_0.approvals a join cell_0.exceptions e on e.merchant_id = a.merchant_id and e.id = a.subject where a.id = $1`

/** A second operator approves a correction, and the process dies: all of it has happened or nothing, and again it happens once. */
export async function whileApproving(world: World, crashPoint: string): Promise<string[]> {
  const { installation } = world
  await serving(world, 'shipped')
  const exception = await openedAt(world)
  const [first, second] = [await operatorIn(world), await operatorIn(world)]
  const asked = await first.send(
    await first.get(`/console/reconciliation/exceptions/${exception}`),
    '/adjust',
    {
      ...{
        direction: 'in',
        amount: String(AMOUNT),
        against: 'adjustments',
        told: 'a correction',
        reason: 'a test',
      },
      resolve: 'yes',
    },
  )
  const path = asked.location
  const id = path.split('/').at(-1)
  const page = await second.get(path)
  const running = await victim(world, 'shipped', crashPoint)
  const clicked = second.send(page, '/approve').catch(() => null)
  const wrong = await killedBy(running, crashPoint, [clicked])
  const judge = async (when: string, done: boolean) => {
    const [state] = await installation.sql(STATE, [id])
    const is = JSON.stringify(state)
    const must = JSON.stringify(
      done
        ? { status: 'approved', posted: 1, resolved: true }
        : { status: 'waiting', posted: 0, resolved: false },
    )
    if (is !== must) wrong.push(`${when}: ${is} instead of ${must}`)
  }
  await judge('after the kill', crashPoint.startsWith('approval.committed'))
  await serving(world, 'shipped')
  const again = await second.send(page, '/approve')
  if (again.status !== 303) wrong.push(`approving again was answered ${again.status}`)
  await judge('after the second click', true)
  return wrong
}
