import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { killPostgres } from '../../test/crash/processes.ts'
import { askOnce } from '../../test/helpers/database/ask-once.ts'
import {
  folderFor,
  IS_ROOT,
  isServing,
  kill,
  leave,
  participant,
  secretFolder,
  startParticipant,
} from '../../test/helpers/database/embedded-postgres.ts'
import { longTest, test } from '../../test/helpers/service/parts.ts'
import { joinEmbeddedPostgres } from './embedded-postgres.ts'

const say = () => {}

test('the first join creates and starts a durable server, later ones re-use or restart it', async (t) => {
  const dataDir = folderFor(t)
  const first = await joinEmbeddedPostgres({ dataDir, say })
  const second = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal(first.startedHere, true)
  assert.deepEqual([second.startedHere, second.pid], [false, first.pid])
  assert.deepEqual(await settingsOf(first.url('postgres')), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    max_connections: '400',
    server_encoding: 'UTF8',
  })
  assert.equal(statSync(first.socketDir).mode & 0o777, 0o700)
  await first.leave()
  await first.leave()
  assert.ok(isServing(dataDir, second.pid), 'the second user still has it')
  await second.leave()
  assert.ok(!isServing(dataDir, second.pid))
  const third = await joinEmbeddedPostgres({ dataDir, say, settings: { work_mem: '7MB' } })
  assert.equal(third.startedHere, true)
  assert.equal((await askOnce(third.url('postgres'), 'show work_mem'))[0]?.work_mem, '7MB')
  await third.leave()
})

longTest('the last process out stops the server, whoever started it', async (t) => {
  const dataDir = folderFor(t)
  const starter = await participant(t, dataDir)
  const other = await participant(t, dataDir)
  assert.deepEqual([starter.joined.startedHere, other.joined.startedHere], [true, false])
  await leave(starter.process)
  assert.equal((await askOnce(other.joined.url, 'select 1 as one'))[0]?.one, 1)
  await leave(other.process)
  assert.ok(!isServing(dataDir, other.joined.pid))
})

longTest('two processes that join an empty folder at once get the same server', async (t) => {
  const dataDir = folderFor(t)
  const both = await Promise.all([participant(t, dataDir), participant(t, dataDir)])
  assert.equal(both[0].joined.pid, both[1].joined.pid)
  assert.deepEqual(both.map((one) => one.joined.startedHere).sort(), [false, true])
  await Promise.all(both.map((one) => leave(one.process)))
  assert.ok(!isServing(dataDir, both[0].joined.pid))
})

longTest('a process that joins while the last one leaves gets a running server', async (t) => {
  const dataDir = folderFor(t)
  let server = await joinEmbeddedPostgres({ dataDir, say })
  for (let round = 0; round < 6; round++) {
    const [next] = await Promise.all([joinEmbeddedPostgres({ dataDir, say }), server.leave()])
    assert.equal((await askOnce(next.url('postgres'), 'select 1 as one'))[0]?.one, 1)
    server = next
    const left = server.leave()
    server = await joinEmbeddedPostgres({ dataDir, say })
    await left
    assert.equal((await askOnce(server.url('postgres'), 'select 1 as one'))[0]?.one, 1)
  }
  await server.leave()
})

longTest('kill -9 of the process that started it leaves the server, and the next join re-uses it', async (t) => {
  const dataDir = folderFor(t)
  const starter = await participant(t, dataDir)
  await kill(starter.process)
  const next = await joinEmbeddedPostgres({ dataDir, say })
  assert.deepEqual([next.startedHere, next.pid], [false, starter.joined.pid])
  await next.leave()
  assert.ok(!isServing(dataDir, next.pid), 'the dead process counts no longer')
})

longTest('kill -9 of the server and its children loses nothing that was acknowledged', async (t) => {
  const dataDir = folderFor(t)
  const server = await joinEmbeddedPostgres({ dataDir, say })
  await askOnce(server.url('postgres'), 'create table kept (n int); insert into kept values (41), (42)')
  await killPostgres(dataDir)
  const again = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal(again.startedHere, true)
  assert.equal((await askOnce(again.url('postgres'), 'select sum(n)::int as sum from kept'))[0]?.sum, 83)
  await again.leave()
  await server.leave()
})

longTest('kill -9 of the postmaster alone: the join waits until its children are gone', async (t) => {
  const dataDir = folderFor(t)
  const server = await joinEmbeddedPostgres({ dataDir, say })
  const busy = askOnce(server.url('postgres'), 'do $$ begin for i in 1..40000000 loop end loop; end $$').catch(say)
  await sleep(50)
  process.kill(server.pid, 'SIGKILL')
  const again = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal(again.startedHere, true)
  assert.equal((await askOnce(again.url('postgres'), 'select 1 as one'))[0]?.one, 1)
  await busy
  await again.leave()
})

longTest('a process id in a stale lock file that now belongs to another program does not stop the start', async (t) => {
  const dataDir = folderFor(t)
  await joinEmbeddedPostgres({ dataDir, say })
  await killPostgres(dataDir)
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], IS_ROOT ? { uid, gid } : {})
  t.after(() => stranger.kill('SIGKILL'))
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(stranger.pid)))
  const again = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal(again.startedHere, true)
  assert.equal(stranger.exitCode, null, 'the other program is left alone')
  await again.leave()
})

longTest('kill -9 in the middle of the first set-up leaves a folder that the next join sets up', async (t) => {
  const dataDir = folderFor(t)
  const child = startParticipant(t, dataDir)
  while (!existsSync(dataDir) || !readdirSync(dataDir).some((name) => name.startsWith('postgres.new-'))) await sleep(2)
  await sleep(200)
  await kill(child)
  assert.ok(!existsSync(join(dataDir, 'postgres')))
  const server = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal((await askOnce(server.url('postgres'), 'select 1 as one'))[0]?.one, 1)
  await server.leave()
})

longTest('a data path that is too long for a socket, with odd characters in it', async (t) => {
  const dataDir = join(folderFor(t), `a b,"c'%&${'x'.repeat(120)}`)
  const server = await joinEmbeddedPostgres({ dataDir, say })
  assert.ok(server.socketDir.length < 86)
  assert.equal(statSync(server.socketDir).mode & 0o777, 0o700)
  assert.equal((await askOnce(server.url('postgres'), 'select 1 as one'))[0]?.one, 1)
  await server.leave()
  assert.ok(!existsSync(server.socketDir))
})

const needsRoot = { skip: IS_ROOT ? false : 'only root can make a folder that it alone can enter' }

longTest('started by root in a folder that only root can enter', needsRoot, async (t) => {
  const dataDir = join(secretFolder(t), 'data')
  const server = await joinEmbeddedPostgres({ dataDir, say })
  assert.equal((await askOnce(server.url('postgres'), 'select 1 as one'))[0]?.one, 1)
  await server.leave()
  assert.ok(!isServing(dataDir, server.pid))
})

longTest(
  'the same without user namespaces: the database lives elsewhere and a file says where',
  needsRoot,
  async (t) => {
    const dataDir = join(secretFolder(t), 'data')
    const said: string[] = []
    const options = { dataDir, say: (line: string) => said.push(line), namespaces: false }
    const server = await joinEmbeddedPostgres(options)
    const home = readFileSync(join(dataDir, 'postgres-location'), 'utf8').trim()
    t.after(() => rmSync(home, { recursive: true, force: true }))
    assert.match(said[0] ?? '', new RegExp(`the database lives in ${home}`))
    assert.ok(statSync(join(home, 'postgres')).uid !== 0)
    await askOnce(server.url('postgres'), 'create table kept (n int)')
    await server.leave()
    const again = await joinEmbeddedPostgres({ dataDir, say })
    assert.deepEqual(await askOnce(again.url('postgres'), 'select n from kept'), [])
    await again.leave()
  },
)

async function settingsOf(url: string): Promise<Record<string, unknown>> {
  const names = 'fsync synchronous_commit full_page_writes data_checksums listen_addresses max_connections'
  const list = `${names} server_encoding`.split(' ').map((name) => `current_setting('${name}') as ${name}`)
  const [row] = await askOnce(url, `select ${list.join(', ')}`)
  return row ?? {}
}
