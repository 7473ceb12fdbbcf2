import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { checkpointLedgers } from '../../../src/ledger/checkpoints.ts'
import type { Invariant } from '../../../src/operations/verify/invariants/invariant.ts'
import { LEDGER_INVARIANTS } from '../../../src/operations/verify/invariants/payments/ledger-invariants.ts'
import { ROOT } from '../../../src/platform/processes/root.ts'
import { readFigures, type StatementFigures } from '../../../src/reports/statement/figures.ts'
import { parsePeriod } from '../../../src/reports/statement/period.ts'
import { ADJUSTING_SEQS, RESERVING_SEQS } from '../../../src/reports/statement/seqs.ts'
import { type Snapshot, withSnapshot } from '../../../src/reports/statement/snapshot.ts'
import { rowsLookedAt } from '../../helpers/database/rows-looked-at.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { notOnCluster, sized } from '../../helpers/service/parts.ts'
import { putBack } from '../../helpers/service/put-back.ts'
import { startService } from '../../helpers/service/test-service.ts'

// Transfers planted by SQL are no complete history.
const service = opened(() => startService())
const MONTHS = ['2026-02', '2026-03', '2026-04'].map((name) => parsePeriod(name).period)
const DAY_MS = 86_400_000
const OLD_CHECKPOINTS = join(ROOT, 'migrations', 'cell', '0082_times_of_old_checkpoints.sql')

const KINDS = {
  charge_net: ['rail:op1_momo', 'pending'],
  charge_fee: ['rail:op1_momo', 'fees'],
  hold_release: ['pending', 'available'],
  split_share: ['rail:op1_momo', 'sub_available:sub_'],
  sub_payout_reserve: ['sub_available:sub_', 'in_flight'],
  payout_reserve: ['available', 'in_flight'],
  payout_sent: ['in_flight', 'rail:op1_momo'],
  payout_return: ['in_flight', 'available'],
  top_up: ['rail:op1_momo', 'available'],
  correction_out: ['available', 'adjustments'],
} as const
type Kind = keyof typeof KINDS

// Each is a moment after the one before, or some hours before it: clocks and waits differ.
const transfer = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])),
  amount: fc.integer({ min: 1, max: 2 ** 52 }),
  subaccount: fc.nat(40),
  later: fc.oneof(
    { arbitrary: fc.nat(2000), weight: 40 },
    { arbitrary: fc.nat(DAY_MS), weight: 40 },
    { arbitrary: fc.integer({ min: -DAY_MS / 4, max: 0 }), weight: 20 },
    { arbitrary: fc.constant(9 * DAY_MS), weight: 1 },
  ),
  // What the clock was wrong by, for this one alone.
  wrong: fc.oneof(
    { arbitrary: fc.constant(0), weight: 40 },
    { arbitrary: fc.constantFrom(-60, -31, -2, 2, 31, 60, 4000).map((days) => days * DAY_MS), weight: 1 },
  ),
})
type Transfer = Omit<typeof transfer extends fc.Arbitrary<infer T> ? T : never, 'wrong'> & { wrong?: number }
// Without sums: as they were written before checkpoints had any. Gone: the next one follows another than the one before it.
const checkpoint = fc.record({
  step: fc.integer({ min: 1, max: 40 }),
  becomes: fc.constantFrom('kept', 'kept', 'kept', 'without sums', 'gone'),
})
type Checkpoint = typeof checkpoint extends fc.Arbitrary<infer T> ? T : never

const TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select $1::bigint, 'live'::mode, n, kind, 'about_' || n, debit, credit, amount, at
  from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[]) with ordinality t (kind, debit, credit, amount, at, n)`
const HEAD = `update ledger_heads set seq = $2 where merchant_id = $1 and mode = 'live'`
const TAKE_SUMS = `update ledger_checkpoints set after_seq = null, sums = null, first_at = null, last_at = null
  where merchant_id = $1 and seq = any($2::bigint[])`
const TAKE_AWAY = 'delete from ledger_checkpoints where merchant_id = $1 and seq = any($2::bigint[])'

async function plant(transfers: readonly Transfer[]): Promise<number> {
  const { merchantId } = await payer(service)
  let time = (MONTHS[0] as { start: Date }).start.getTime() - 3 * DAY_MS
  const rows = transfers.map(({ kind, amount, subaccount, later, wrong = 0 }) => {
    time += later
    const [debit, credit] = KINDS[kind].map((name) => (name.endsWith('sub_') ? name + subaccount : name))
    return { kind, debit, credit, amount, at: new Date(time + wrong) }
  })
  const column = (key: keyof (typeof rows)[number]) => rows.map((row) => row[key])
  const columns = [column('kind'), column('debit'), column('credit'), column('amount'), column('at')]
  await service.rows(TRANSFERS, [merchantId, ...columns])
  await service.rows(HEAD, [merchantId, rows.length])
  return merchantId
}

/** The figures of three months, and how many transfers were added up for them one by one. */
async function readMonths(merchantId: number): Promise<{ months: StatementFigures[]; asked: number }> {
  let asked = 0
  const months = await withSnapshot(service.app.db, async (snapshot) => {
    const ask: Snapshot['ask'] = async (question, values) => {
      const answer = await snapshot.ask(question, values)
      if (question.name === 'sums of a statement') asked += Number(values[3]) - Number(values[2])
      return answer
    }
    const figures: StatementFigures[] = []
    for (const period of MONTHS)
      figures.push(await readFigures({ ...snapshot, ask }, { merchantId, mode: 'live' }, { period, complete: false }))
    return figures
  })
  return { months, asked }
}

async function makeCheckpoints(merchantId: number, checkpoints: readonly Checkpoint[]): Promise<void> {
  for (const { step } of checkpoints) await checkpointLedgers(service.app.db, service.clock.now(), { every: 1, step })
  const made = await service.rows<{ seq: number }>(
    'select seq from ledger_checkpoints where merchant_id = $1 order by seq',
    [merchantId],
  )
  const that = (becomes: Checkpoint['becomes']) =>
    made.filter((_, nth) => checkpoints[nth]?.becomes === becomes).map(({ seq }) => seq)
  await putBack(service, TAKE_SUMS, [merchantId, that('without sums')])
  await putBack(service, TAKE_AWAY, [merchantId, that('gone')])
}

/** What each month comes to, from all transfers of the merchant by their times alone. */
const TRUTH = `select (coalesce(sum(change) filter (where t.at < m.at), 0))::text as opening,
    (coalesce(sum(change) filter (where t.at < m.until), 0))::text as closing
  from unnest($2::timestamptz[], $3::timestamptz[]) m (at, until) left join (
    select at, case when credit in ('available', 'pending') then amount else 0 end
      - case when debit in ('available', 'pending') then amount else 0 end as change
    from transfers where merchant_id = $1) t on true
  group by m.at, m.until order by m.at`

test('F47: figures of a month are right in whatever order times are, and the same by transfers or checkpoints', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const histories = fc.array(transfer, { minLength: 1, maxLength: 300, size: 'max' })
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(checkpoint, { maxLength: 20, size: 'max' }),
      async (transfers, checkpoints) => {
        const merchantId = await plant(transfers)
        const { months } = await readMonths(merchantId)
        const truth = await service.rows<{ opening: string; closing: string }>(TRUTH, [
          merchantId,
          MONTHS.map(({ start }) => start),
          MONTHS.map(({ end }) => end),
        ])
        assert.deepEqual(
          months.map(({ opening, closing }) => [String(opening), String(closing)]),
          truth.map(({ opening, closing }) => [opening, closing]),
        )
        await makeCheckpoints(merchantId, checkpoints)
        assert.deepEqual((await readMonths(merchantId)).months, months)
      },
    ),
    { seed, numRuns: sized(5, 40), endOnFailure: true, includeErrorInReport: true },
  )
})

test('of a month with checkpoints only the transfers at its edges are added up one by one', async () => {
  // One every five minutes.
  const each = { kind: 'split_share', amount: 100, later: 5 * 60_000 } as const
  const merchantId = await plant(Array.from({ length: 30_000 }, (_, n) => ({ ...each, subaccount: n % 500 })))
  const before = await readMonths(merchantId)
  assert.ok(before.asked > 25_000, `${before.asked}`)
  while ((await checkpointLedgers(service.app.db, service.clock.now(), { every: 100, step: 500 })) > 0);
  const after = await readMonths(merchantId)
  assert.deepEqual(after.months, before.months)
  // For each month the checkpoints at both ends.
  assert.ok(after.asked < 3 * 3 * 500, `${after.asked}`)
})

const older = notOnCluster('its migration is older than any cell of a cluster')
test('checkpoints that release 1.3.0 made get the times and sums that this one gives them', older, async () => {
  const each = { kind: 'top_up', amount: 100, subaccount: 0, later: 20 * 60_000 } as const
  const merchantId = await plant(Array.from({ length: 3000 }, () => each))
  while ((await checkpointLedgers(service.app.db, service.clock.now(), { every: 100, step: 500 })) > 0);
  const made = () => service.rows('select * from ledger_checkpoints where merchant_id = $1 order by seq', [merchantId])
  const before = await made()
  assert.equal(before.length, 6)
  await putBack(service, TAKE_SUMS, [merchantId, before.map(({ seq }) => seq)])
  const [filling = ''] = readFileSync(OLD_CHECKPOINTS, 'utf8').split('-- A statement reads')
  await service.rows(filling)
  assert.deepEqual(await made(), before)
})

/** Checkpoints that follow the same one. */
const TWINS = `select after_seq from ledger_checkpoints where merchant_id = $1 group by after_seq having count(*) > 1`

test('checkpoints that several processes make at once add up to the same figures, and verify finds no fault in them', async () => {
  // From three days before the first month into its third week.
  const each = { kind: 'charge_net', amount: 100, subaccount: 0, later: 15 * 60_000 } as const
  const raced = async () => {
    const merchantId = await plant(Array.from({ length: 2000 }, () => each))
    const { months } = await readMonths(merchantId)
    const make = (step: number) => checkpointLedgers(service.app.db, service.clock.now(), { every: 1, step })
    for (let round = 0; round < 30; round += 1) await Promise.all([11, 7, 23, 5].map(make))
    return { merchantId, months }
  }
  await eventually('two follow the same one', async () => {
    const { merchantId, months } = await raced()
    assert.deepEqual((await readMonths(merchantId)).months, months)
    const { offenders } = LEDGER_INVARIANTS.find(({ id }) => id === 'L5') as Invariant
    assert.deepEqual(await service.rows(offenders), [])
    return (await service.rows(TWINS, [merchantId])).length > 0
  })
})

test('the few transfers that are not of a paid charge are found without a look at the others', async () => {
  const kindOf = (n: number): Kind => (n % 500 === 0 ? 'payout_reserve' : n % 500 === 1 ? 'top_up' : 'charge_fee')
  const merchantId = await plant(
    Array.from({ length: 10_000 }, (_, n) => ({
      kind: kindOf(n),
      amount: 100,
      subaccount: 0,
      later: 60_000,
    })),
  )
  await service.rows('analyze transfers')
  const values = [merchantId, 'live', 1, 10_001, '2026-01-01', '2026-12-01']
  for (const { text } of [RESERVING_SEQS, ADJUSTING_SEQS])
    assert.ok((await rowsLookedAt(service, { text, values })) <= 40)
})

test('the sums of an account with many subaccounts are one row a kind', async () => {
  const each = { amount: 100, later: 0 } as const
  const kinds = ['split_share', 'sub_payout_reserve', 'charge_net'] as const
  const merchantId = await plant(
    Array.from({ length: 1500 }, (_, n) => ({ ...each, kind: kinds[n % 3] as Kind, subaccount: n })),
  )
  const rows: { kind?: string; inside?: boolean }[] = []
  await withSnapshot(service.app.db, (snapshot) => {
    const ask: typeof snapshot.ask = async (question, values) => {
      const answer = await snapshot.ask(question, values)
      if (question.name === 'sums of a statement') rows.push(...(answer as typeof rows))
      return answer
    }
    const period = { ...(MONTHS[0] as (typeof MONTHS)[number]), start: new Date('2026-01-01T00:00:00Z') }
    return readFigures({ ...snapshot, ask }, { merchantId, mode: 'live' }, { period, complete: false })
  })
  assert.deepEqual(
    rows.map(({ kind, inside }) => `${kind} ${inside}`).sort(),
    kinds.map((kind) => `${kind} true`).sort(),
  )
})
