import assert from 'node:assert/strict'
import test from 'node:test'
import { inBulkTurn, newBulkTurns } from './bulk-turns.ts'

const [ONE, OTHER] = [1, 2]
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Bulk calls that end when the test ends them. */
function callsOf() {
  const turns = newBulkTurns()
  const running: { merchantId: number; end(error?: Error): void }[] = []
  const call = (merchantId: number) =>
    inBulkTurn(
      turns,
      merchantId,
      () =>
        new Promise<void>((resolve, reject) => {
          const end = (error?: Error) => (error ? reject(error) : resolve())
          running.push({ merchantId, end })
        }),
    )
  const idsOf = () => running.map(({ merchantId }) => merchantId)
  return { call, running, idsOf }
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await turn()
}

test('C16: calls of one merchant run one after the other, and those of others beside them', async () => {
  const { call, running, idsOf } = callsOf()
  const calls = [call(ONE), call(ONE), call(ONE), call(OTHER)]
  await turn()
  assert.deepEqual(idsOf(), [ONE, OTHER])
  for (let nth = 0; nth < 2; nth += 1) {
    running.find(({ merchantId }) => merchantId === (nth === 0 ? ONE : OTHER))?.end()
    await turn()
  }
  await until(() => idsOf().filter((id) => id === ONE).length === 2)
  running.at(-1)?.end()
  await until(() => idsOf().filter((id) => id === ONE).length === 3)
  running.at(-1)?.end()
  await Promise.all(calls)
})

test('C16: a call that fails lets the next one run', async () => {
  const { call, running } = callsOf()
  const [failing, next] = [call(ONE), call(ONE)]
  await turn()
  running[0]?.end(new Error('the database is away'))
  await assert.rejects(failing, /away/)
  await until(() => running.length === 2)
  running[1]?.end()
  await next
})

test('C16: merchants whose calls hang leave places for others', async () => {
  const { call, running } = callsOf()
  const calls = Array.from({ length: 8 }, (_, nth) => call(10 + nth))
  await turn()
  calls.push(call(OTHER))
  await turn()
  assert.equal(running.at(-1)?.merchantId, OTHER)
  for (const { end } of running) end()
  await Promise.all(calls)
})
