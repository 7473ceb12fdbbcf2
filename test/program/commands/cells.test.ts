import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { buildSweeps } from '../../../src/program/sweeps.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { assertRefused, oneJson, runInside, settingsOf } from '../../helpers/service/command-line.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { CELL_MERCHANTS: '2' } }))

const run = (...words: string[]) => runInside(words, { ...settingsOf(service), CELL_MERCHANTS: '2' })
const cellOf = async (id: string) =>
  (await service.rows<{ cell: string }>('select cell from directory.merchants where public_id = $1', [id]))[0]?.cell
const served = () => service.gateway.cells.map(({ cell }) => cell)

test('a cell is made by a command, and a process that runs takes it up with its tasks and the present freeze', async () => {
  await freezePlatform(service.gateway, BY_HAND, 'before the cell was made')
  assert.deepEqual(oneJson(await run('cells', 'create', '--json')), { name: 'cell_1', added: true })
  await eventually('the cell is served', async () => served().includes('cell_1'))
  assert.deepEqual(served(), ['cell_0', 'cell_1'])
  const [stop] = await service.rows('select frozen_for as reason from cell_1.payout_stops')
  assert.equal(stop?.reason, 'before the cell was made')
  await freezePlatform(service.gateway, BY_HAND, null)
  const [thawed] = await service.rows('select frozen_for as reason from cell_1.payout_stops')
  assert.equal(thawed?.reason, null)
  const [act] = await service.rows(`select subject from directory.audit where action = 'cell.add'`)
  assert.equal(act?.subject, 'cell_1')
})

test('the same command again makes nothing, and whatever a killed one has left is finished', async () => {
  assert.deepEqual(oneJson(await run('cells', 'create', 'cell_1', '--json')), { name: 'cell_1', added: false })
  // Killed within its first migration, and before anything was entered in the directory.
  await service.rows('create schema cell_2')
  assert.deepEqual(oneJson(await run('cells', 'create', '--json')), { name: 'cell_2', added: true })
  // Killed after all migrations were applied, before their checksums were stored and before it was entered.
  await service.rows(
    `with gone as (delete from directory.cells where name = 'cell_2' returning name) select name from gone`,
  )
  await service.rows('delete from cell_2.migration_checksums')
  assert.deepEqual(oneJson(await run('cells', 'create', '--json')), { name: 'cell_2', added: true })
  await eventually('the third cell is served', async () => served().length === 3)
})

test('new merchants go to the cell with the fewest that has room, and to one just made only when every process knows it', async () => {
  const cells: (string | undefined)[] = []
  const add = async () => cells.push(await cellOf((await service.merchant()).id))
  for (let nth = 0; nth < 3; nth += 1) await add()
  assert.deepEqual(cells.splice(0), ['cell_0', 'cell_0', 'cell_0'], 'the others are too new')
  service.pass(60_000)
  const full = () => service.rows(`select says from directory.alerts where kind = 'cells_full' and closed_at is null`)
  for (let nth = 0; nth < 3; nth += 1) await add()
  await service.run('raise-alerts')
  assert.deepEqual(await full(), [])
  await add()
  assert.deepEqual(cells.splice(0), ['cell_1', 'cell_2', 'cell_1', 'cell_2'])
  await service.run('raise-alerts')
  assert.match(String((await full())[0]?.says), /^no cell has room for another merchant: each has 2, /)
  await add()
  assert.deepEqual(cells.splice(0), ['cell_2'], 'none has room: the one that was added last takes it')
})

test('a merchant of a cell that was made meanwhile is paid by the process that took it up', async () => {
  const merchant = await service.merchant({ cell: 'cell_2' })
  const api = service.client(merchant.keys.test)
  assert.equal((await api.charge({ amount: 5000 })).status, 201)
  service.pass(2000)
  const app = service.gateway.appOf({ cell: 'cell_2' })
  const follow = buildSweeps(app).find(({ name }) => name === 'follow-charges')
  assert.equal(await follow?.runOnce(), 1)
  await follow?.finish?.()
  assert.deepEqual(await balanceOf(api), { available: 4800, pending: 0 })
})

test('a creation that is repeated with its key finds the cell of the first call, whichever has room now', async () => {
  const words = ['merchants', 'create', '--name', 'Twice', '--email', 'twice@shops.invalid', '--key', 'twice', '--json']
  const first = oneJson(await run(...words))
  const cell = await cellOf(first.id)
  await service.merchant({ cell })
  assert.deepEqual(oneJson(await run(...words)), first)
  assert.equal(oneJson(await run('merchants', 'show', first.id, '--json')).cell, cell)
})

test('the list says where each cell lies, how large it is, and its room', async () => {
  const cells = oneJson(await run('cells', 'list', '--json'))
  assert.deepEqual(
    cells.map(({ cell, node, room }: any) => ({ cell, node, room })),
    ['cell_0', 'cell_1', 'cell_2'].map((cell) => ({ cell, node: null, room: 0 })),
  )
  const [counted] = await service.rows<{ count: number }>('select count(*)::int as count from directory.merchants')
  assert.equal(
    cells.reduce((sum: number, { merchants }: any) => sum + merchants, 0),
    counted?.count,
  )
  for (const { bytes } of cells) assert.ok(bytes > 100_000)
  const { stdout } = await run('cells', 'list')
  assert.match(stdout, /^cell_1 +the database server +\d+ merchants +\d+ MB +room for 0$/m)
})

test('without Citus nothing is placed, moved or drained, and a wrong name or node is refused', async () => {
  const says =
    /^this needs Citus: without it all cells lie on the one server of DATABASE_URL, and none can be placed, moved or drained$/m
  assertRefused(await run('cells', 'place', 'cell_1'), { code: 1, says })
  assertRefused(await run('cells', 'move', 'cell_1', '--to', '10.0.0.3:5432'), { code: 1, says })
  assertRefused(await run('cells', 'drain', '10.0.0.3'), { code: 1, says })
  assertRefused(await run('cells', 'create', 'shops'), { code: 1, says: /a cell is called cell_ and a number/ })
  assertRefused(await run('cells', 'move', 'cell_1'), { code: 2, says: /--to is required/ })
  assertRefused(await run('cells', 'drain', 'no:place'), { code: 2, says: /must be HOST:PORT/ })
  assertRefused(await run('cells', 'place'), { code: 2, says: /say which cell/ })
})
