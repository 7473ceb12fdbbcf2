import { serving, stopServing } from '../serving.ts'
import { notKilled } from '../victims.ts'
import type { World } from '../world.ts'
import { earnLiveMoney } from './payout-cases.ts'

const NUMBER = '256772000333'
const ID = `'sto_' || left(md5(random()::text), 21)`
// The order as its owner made it and staff approved it, with the rows of who did: there is no command for that.
const PLANT = `with made as (
    insert into cell_0.standing_orders (merchant_id, id, state, rhythm, keep_back, least, day_limit, revision, approved_at, approved_limit,
      approved_phone, due_at, try_at, set_at)
    select m.id, ${ID}, 'approved', 'above', 0, 5000, 10000000, 1, $2, 10000000, '${NUMBER}', $2, $2, $2 from cell_0.merchants m where m.handle = $1
    returning *),
  acts as (
    insert into cell_0.audit (at, actor_kind, actor, origin, action, merchant_id, mode, subject, after)
    select $2::timestamptz, 'command', 'a test', '', act.name, made.merchant_id, 'live', made.id, act.after from made cross join lateral (values
      ('standing-order.set', jsonb_build_object('rhythm', 'above', 'weekday', null, 'hour', null, 'keepBack', 0, 'least', 5000,
        'dayLimit', 10000000, 'revision', 1)),
      ('standing-order.decide', jsonb_build_object('state', 'approved', 'revision', 1, 'limit', 10000000,
        'digest', encode(substr(sha256(convert_to('${NUMBER}', 'UTF8')), 1, 8), 'hex')))) act (name, after))
  select id from made`
const RUNS = `select count(*)::int as runs, count(*) filter (where w.state = 'approved')::int as approved,
    (select due_at > $2::timestamptz from cell_0.standing_orders where id = $1) as advanced
  from cell_0.standing_order_runs r join cell_0.withdrawals w on w.merchant_id = r.merchant_id and w.id = r.withdrawal_id where r.order_id = $1`
// An order that goes on would take the money of the cases after this one.
const STOP = `update cell_0.standing_orders set state = 'stopped', stopped_at = $2, approved_at = null, approved_limit = null,
  approved_phone = null, due_at = null, try_at = null, still_code = null, still_says = null, still_since = null, still_told = true where id = $1`

/** A standing order is due, and the task dies before its withdrawal is committed, or after it: the next run makes one, or no second one. */
export async function onStandingOrder(world: World, crashPoint: string): Promise<string[]> {
  const { installation, live } = world
  await earnLiveMoney(world)
  await stopServing(world)
  const run = async (...words: string[]) => {
    const done = await installation.command(words)
    if (done.code !== 0) throw new Error(`${words.join(' ')}: ${done.stderr}`)
  }
  await run('withdrawals', 'number', live.handle, '--phone', NUMBER)
  await run('withdrawals', 'verify-number', live.handle, '--phone', NUMBER)
  const at = new Date(installation.clock.nowMs()).toISOString()
  const [order] = await installation.sql<{ id: string }>(PLANT, [live.handle, at])
  const died = await installation.command(['sweep', 'run-standing-orders'], { CRASH_POINT: crashPoint })
  const wrong = notKilled(died, crashPoint)
  await run('sweep', 'run-standing-orders')
  const [made] = await installation.sql<{ runs: number; approved: number; advanced: boolean }>(RUNS, [order?.id, at])
  if (made?.runs !== 1 || made.approved !== 1 || !made.advanced) wrong.push(`the order made ${JSON.stringify(made)}`)
  await installation.sql(STOP, [order?.id, at])
  await serving(world, 'with live rail')
  return wrong
}
