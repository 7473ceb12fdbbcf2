import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { copyBinaries, findBinaries } from '../../src/platform/embedded-postgres/binaries.ts'
import { prepareCluster } from '../../src/platform/embedded-postgres/cluster.ts'
import { findAccount, runAsSelf } from '../../src/platform/embedded-postgres/run-as.ts'
import { type EmbeddedServer, joinEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { askOnce } from '../helpers/database/ask-once.ts'
import { longTest, test } from '../helpers/service/parts.ts'

const IS_ROOT = process.getuid?.() === 0

async function serverIn(t: TestContext): Promise<{ dataDir: string; server: EmbeddedServer }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'privacy-'))
  if (IS_ROOT) execFileSync('chmod', ['711', dataDir])
  writeFileSync(join(dataDir, 'postgres.log'), '', { mode: 0o644 })
  const server = await joinEmbeddedPostgres({ dataDir, say: () => {} })
  t.after(async () => {
    await server.leave()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, server }
}

test('D8: the log of the server holds no rows and no statements, and only its owner reads it', async (t) => {
  const { dataDir, server } = await serverIn(t)
  const url = server.url('postgres')
  const phone = '256700111222'
  await askOnce(url, 'create table payers (phone text primary key, whose text not null)')
  await askOnce(url, `insert into payers values ('${phone}', 'Amina')`)
  await assert.rejects(askOnce(url, `insert into payers values ('${phone}', 'Amina')`), /duplicate key/)
  await assert.rejects(askOnce(url, `insert into payers values ('${phone}3', null)`), /null value/)
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  assert.match(log, /duplicate key value violates unique constraint "payers_pkey"/)
  assert.doesNotMatch(log, /256700111222|Amina/)
  assert.equal(statSync(join(dataDir, 'postgres.log')).mode & 0o777, 0o600)
})

// The first message of the protocol, as a stranger would send it: version 3.0, user postgres. The first byte of the answer is R
// for an accepted login or a request for a password, E for a refusal.
const KNOCK = `
const { connect } = require('node:net')
const body = Buffer.from('user\\0postgres\\0database\\0postgres\\0\\0')
const head = Buffer.alloc(8)
head.writeInt32BE(body.length + 8, 0)
head.writeInt32BE(196608, 4)
const socket = connect(process.argv[1]).on('error', (error) => { console.log(error.code); process.exit() })
socket.write(Buffer.concat([head, body]))
socket.once('data', (data) => { console.log(data.toString('latin1', 0, 1)); socket.destroy() })
`

longTest(
  'D11: another process of the account that runs the server is not let in',
  {
    skip: !IS_ROOT && 'only root starts it under another account',
  },
  async (t) => {
    const { dataDir, server } = await serverIn(t)
    const { uid, gid } = statSync(join(dataDir, 'postgres'))
    assert.notEqual(uid, 0)
    const knock = (as: { uid: number; gid: number }) =>
      execFileSync(process.execPath, ['-e', KNOCK, join(server.socketDir, '.s.PGSQL.5432')], {
        ...as,
        cwd: '/',
      })
        .toString()
        .trim()
    assert.equal(knock({ uid: 0, gid: 0 }), 'R', 'we ourselves get in')
    assert.equal(knock({ uid, gid }), 'E')
    assert.equal((await askOnce(server.url('postgres'), 'select 1 as one')).length, 1)
  },
)

longTest(
  'C24: a data folder with every odd character that its name may have, the binaries copied into it',
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'odd-'))
    t.after(() => rmSync(root, { recursive: true, force: true }))
    if (IS_ROOT) execFileSync('chmod', ['711', root])
    const dataDir = join(root, `it's "here" $HOME \`id\` !! \\ 100%`)
    const copied = copyBinaries(findBinaries(), root)
    const home = join(root, 'home "of" copies')
    execFileSync('mkdir', [home])
    const binaries = copyBinaries(copied, home)
    execFileSync('mkdir', [dataDir])
    const runAs = IS_ROOT ? (findAccount() ?? runAsSelf()) : runAsSelf()
    execFileSync('chmod', [IS_ROOT ? '711' : '700', home, dataDir])
    const cluster = join(dataDir, 'postgres')
    await prepareCluster({ home: dataDir, cluster, runAs, binaries }, () => {})
    assert.ok(readFileSync(join(cluster, 'PG_VERSION'), 'utf8').length > 0)
    const server = await joinEmbeddedPostgres({ dataDir, say: () => {} })
    assert.equal((await askOnce(server.url('postgres'), 'select 1 as one')).length, 1)
    await server.leave()
  },
)
