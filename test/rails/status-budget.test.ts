import assert from 'node:assert/strict'
import test from 'node:test'
import type { QuestionLevel } from '../../src/rails/following/question-levels.ts'
import { type StatusBudget, statusBudget } from '../../src/rails/following/status-budget.ts'
import { stillClock } from '../api/rate-limits/still-clock.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

const SECOND = 1000
const STEP_MS = 5
const service = opened(() => startService({ clock: stillClock() }))
let contracts = 0

/** A contract of this rate, and one budget for each of several processes that share it. */
function budgets(processes: number, statusPerSecond: number | null = 8) {
  contracts += 1
  const id = `contract ${contracts}`
  const { directory, clock } = service.gateway
  const make = () => statusBudget({ directory, clock, installations: () => [{ id, statusPerSecond }] })
  return { id, all: Array.from({ length: processes }, make) }
}

type Asker = { budget: StatusBudget; due: readonly QuestionLevel[]; everyMs?: number }
type Question = { atMs: number; level: QuestionLevel }

/** Lets these ask for as long as they may, each as often as a follower looks; answers with every question. */
async function askFor(seconds: number, id: string, askers: readonly Asker[]): Promise<Question[]> {
  const questions: Question[] = []
  for (let ms = 0; ms < seconds * SECOND; ms += STEP_MS) {
    for (const { budget, due, everyMs = STEP_MS } of askers) {
      if (ms % everyMs !== 0 || budget.waitMs(id, due) > 0) continue
      const { level, count } = await budget.takeTurn(id, due, 8)
      for (let nth = 0; nth < count; nth += 1) questions.push({ atMs: service.clock.nowMs(), level })
    }
    service.pass(STEP_MS)
  }
  return questions
}

/** The most questions in any second. */
const mostInASecond = (questions: readonly Question[]) =>
  Math.max(
    ...questions.map(
      ({ atMs }) => questions.filter((question) => question.atMs >= atMs && question.atMs < atMs + SECOND).length,
    ),
  )
const shareOf = (questions: readonly Question[], level: QuestionLevel) =>
  questions.filter((question) => question.level === level).length / questions.length

for (const processes of [1, 2, 4])
  test(`${processes} processes together ask 8 a second, and never more than 10 in any second`, async () => {
    const { id, all } = budgets(processes)
    const questions = await askFor(
      20,
      id,
      all.map((budget) => ({ budget, due: [1] })),
    )
    assert.ok(questions.length >= 156 && questions.length <= 162, `${questions.length} in 20 seconds`)
    assert.ok(mostInASecond(questions) <= 10, `${mostInASecond(questions)} in one second`)
  })

test('a process that looks only every 150 ms loses no question', async () => {
  const { id, all } = budgets(1)
  const questions = await askFor(20, id, [{ budget: all[0] as StatusBudget, due: [1], everyMs: 150 }])
  assert.ok(questions.length >= 131, `${questions.length} in 20 seconds: one at each look`)
})

test('younger movements go first; old ones get a tenth, reconciliation a twentieth, and all of it when they are alone', async () => {
  const { id, all } = budgets(3)
  const [young, old, spare] = all as [StatusBudget, StatusBudget, StatusBudget]
  const contended = await askFor(40, id, [
    { budget: spare, due: [3] },
    { budget: old, due: [2] },
    { budget: young, due: [1] },
  ])
  assert.ok(contended.length >= 312, `${contended.length} in 40 seconds`)
  assert.ok(shareOf(contended, 1) > 0.8, `${shareOf(contended, 1)} for the young`)
  assert.ok(shareOf(contended, 2) >= 0.095, `${shareOf(contended, 2)} for the old`)
  assert.ok(shareOf(contended, 3) >= 0.045, `${shareOf(contended, 3)} for reconciliation`)
  const alone = await askFor(20, id, [{ budget: spare, due: [3] }])
  assert.ok(alone.length >= 156, `${alone.length} in 20 seconds for reconciliation alone`)
})

test('one process with work of all ages divides its questions in the same way', async () => {
  const { id, all } = budgets(1)
  const questions = await askFor(40, id, [{ budget: all[0] as StatusBudget, due: [0, 1, 2] }])
  assert.ok(shareOf(questions, 0) > 0.85, `${shareOf(questions, 0)} for those that somebody waits for`)
  assert.ok(shareOf(questions, 2) >= 0.095, `${shareOf(questions, 2)} for the old`)
})

test('a first question may leave the bucket owing one, and no second sees more than 10', async () => {
  const { id, all } = budgets(2)
  const [first, other] = all as [StatusBudget, StatusBudget]
  await askFor(2, id, [{ budget: other, due: [1] }])
  while ((await other.takeTurn(id, [0], 1)).count > 0);
  assert.equal(await first.takeFirst(id), true, 'it goes before the empty bucket')
  assert.equal(await first.takeFirst(id), false, 'it owes one already')
  const questions: Question[] = []
  for (let ms = 0; ms < 10 * SECOND; ms += STEP_MS) {
    if (await first.takeFirst(id)) questions.push({ atMs: service.clock.nowMs(), level: 0 })
    questions.push(...(await askFor(STEP_MS / SECOND, id, [{ budget: other, due: [1] }])))
  }
  assert.ok(mostInASecond(questions) <= 10, `${mostInASecond(questions)} in one second`)
})

test('an operator that says too much is asked half as often for a minute', async () => {
  const { id, all } = budgets(2)
  const [one, other] = all as [StatusBudget, StatusBudget]
  await one.take(id, 1)
  await other.slowDown(id)
  const askers = all.map((budget) => ({ budget, due: [1] as const }))
  const slow = (await askFor(60, id, askers)).length
  assert.ok(slow >= 234 && slow <= 244, `${slow} in the slow minute`)
  const again = (await askFor(10, id, askers)).length
  assert.ok(again >= 76 && again <= 82, `${again} in the ten seconds after it`)
})

test('what was not used can be asked by another process; a contract without a rate is never asked to wait', async () => {
  const { id, all } = budgets(2)
  const [one, other] = all as [StatusBudget, StatusBudget]
  assert.equal(await one.take(id, 5), 1)
  assert.equal(await other.take(id, 5), 0)
  await one.giveBack(id, 1)
  assert.equal((await other.takeTurn(id, [1], 5)).count, 1)
  const free = budgets(1, null)
  const budget = free.all[0] as StatusBudget
  assert.equal(await budget.take(free.id, 500), 500)
  assert.equal(await budget.takeFirst(free.id), true)
  assert.deepEqual(budget.limited(), [])
  await budget.slowDown(free.id)
  const rows = await service.rows('select 1 from status_budgets where installation = $1', [free.id])
  assert.deepEqual(rows, [], 'it has no bucket')
})

test('F47: a clock that was an hour ahead once leaves the others their questions, and itself', async () => {
  const { id, all } = budgets(2)
  const [wrong, right] = all as [StatusBudget, StatusBudget]
  assert.equal((await wrong.takeTurn(id, [1], 1)).count, 1)
  service.pass(3_600_000)
  await wrong.takeTurn(id, [1], 8)
  await wrong.takeTurn(id, [1], 8)
  await wrong.slowDown(id)
  service.pass(-3_600_000)
  const questions = await askFor(10, id, [
    { budget: wrong, due: [1] },
    { budget: right, due: [1] },
  ])
  assert.ok(questions.length >= 76 && questions.length <= 84, `${questions.length} in 10 seconds`)
})
