import assert from 'node:assert/strict'
import test from 'node:test'
import { payer } from '../../../test/helpers/payments/schedules.ts'
import { made, opened } from '../../../test/helpers/service/opened.ts'
import { startService } from '../../../test/helpers/service/test-service.ts'
import { mayMove } from '../../platform/moves.ts'
import { applyChange, type ScheduleChange } from './change-schedule.ts'
import { SCHEDULE_MOVES, SCHEDULE_STATUSES, type Schedule, type ScheduleStatus } from './schedule.ts'

const service = opened(() => startService())
const owner = made(() => payer(service))

const TIME = '2026-01-01T00:00:00Z'
const facts = (status: ScheduleStatus) => (status === 'cancelled' ? [null, TIME] : [TIME, null])

async function insertSchedule(id: string, status: ScheduleStatus): Promise<void> {
  await service.rows(
    `insert into schedules (merchant_id, id, mode, status, amount, channel, interval, recipients, anchor_at, created_at,
       next_run_at, cancelled_at)
     values ($1, $2, 'test', $3, 5000, 'op1_momo', 'daily', '[{"phone": "256700000000"}]', '${TIME}', '${TIME}', $4, $5)`,
    [owner.merchantId, id, status, ...facts(status)],
  )
}

const moveTo = (id: string, status: ScheduleStatus) =>
  service.rows('update schedules set status = $2, next_run_at = $3, cancelled_at = $4 where id = $1', [
    id,
    status,
    ...facts(status),
  ])

for (const from of SCHEDULE_STATUSES)
  for (const to of SCHEDULE_STATUSES) {
    const allowed = from === to || mayMove(SCHEDULE_MOVES, from, to)
    test(`${from} -> ${to} is ${from === to ? 'no move' : allowed ? 'allowed' : 'refused by the database'}`, async () => {
      const id = `spo_${from}_${to}`
      await insertSchedule(id, from)
      if (allowed) await moveTo(id, to)
      else await assert.rejects(moveTo(id, to), new RegExp(`may not move from ${from} to ${to}`))
      const [row] = await service.rows<{ status: string }>('select status from schedules where id = $1', [id])
      assert.equal(row?.status, allowed ? to : from)
    })
  }

const now = new Date('2026-06-15T09:00:00Z')
const at = new Date('2026-06-01T00:00:00Z')
const PAST = new Date('2026-06-10T09:00:00Z')
const FUTURE = new Date('2026-07-10T09:00:00Z')

const scheduleIn = (status: ScheduleStatus, difference: Partial<Schedule> = {}): Schedule => ({
  merchantId: 1,
  id: 'spo_1',
  mode: 'test',
  status,
  name: null,
  amount: 5000,
  channel: 'op1_momo',
  interval: 'monthly',
  recipients: [{ phone: '256700000000', name: null, reference: null }],
  maxPerRecipient: null,
  startAt: null,
  anchorAt: PAST,
  nextRunAt: status === 'cancelled' ? null : FUTURE,
  lastRunAt: null,
  failureReason: null,
  cancelledAt: status === 'cancelled' ? at : null,
  createdAt: PAST,
  metadata: null,
  ...difference,
})

const BROKE = { failureReason: 'insufficient balance: have 0, need 5200 for 1 recipient(s)' }
const CANCELLED = { status: 'cancelled', nextRunAt: null, cancelledAt: at, failureReason: null } as const

// Table 2.3a cell by cell; null means unchanged.
const CHANGES: [string, Schedule, ScheduleChange, Partial<Schedule> | null][] = [
  ['active', scheduleIn('active'), 'pause', { status: 'paused', failureReason: null }],
  ['active', scheduleIn('active'), 'resume', null],
  ['active', scheduleIn('active'), 'cancel', CANCELLED],
  ['active and due', scheduleIn('active', { nextRunAt: PAST }), 'resume', null],
  ['paused', scheduleIn('paused'), 'pause', null],
  ['paused without funds', scheduleIn('paused', BROKE), 'pause', null],
  ['paused', scheduleIn('paused'), 'resume', { status: 'active' }],
  [
    'paused without funds',
    scheduleIn('paused', { ...BROKE, nextRunAt: PAST }),
    'resume',
    { status: 'active', failureReason: null, nextRunAt: now },
  ],
  ['paused and due now', scheduleIn('paused', { nextRunAt: now }), 'resume', { status: 'active', nextRunAt: now }],
  ['paused', scheduleIn('paused'), 'cancel', CANCELLED],
  ['paused without funds', scheduleIn('paused', BROKE), 'cancel', CANCELLED],
  ['cancelled', scheduleIn('cancelled'), 'cancel', null],
]

for (const [name, schedule, change, difference] of CHANGES)
  test(`${change} of one that is ${name} ${difference === null ? 'changes nothing' : 'changes what the table says'}`, () => {
    const next = applyChange(schedule, change, { now, at })
    if (difference === null) assert.equal(next, schedule)
    else assert.deepEqual(next, { ...schedule, ...difference })
  })

test('a cancelled schedule is neither paused nor resumed', () => {
  for (const [change, what] of [
    ['pause', 'paused'],
    ['resume', 'resumed'],
  ] as const)
    assert.throws(() => applyChange(scheduleIn('cancelled'), change, { now, at }), {
      status: 409,
      code: 'conflict',
      message: `a cancelled schedule cannot be ${what}`,
    })
})

test('the allowed moves are those of the contract', () => {
  assert.deepEqual(SCHEDULE_MOVES, {
    active: { paused: null, cancelled: null },
    paused: { active: null, cancelled: null },
    cancelled: {},
  })
})
