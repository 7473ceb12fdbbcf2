import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { assertRefused, runInside } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startService())
const { settings } = commandsOn(service)
const folder = mkdtempSync(join(tmpdir(), 'backups-'))
after(() => rmSync(folder, { recursive: true }))

const BACKUP_KEY = Buffer.alloc(32, 8).toString('base64')
const inFolder = { BACKUP_DIR: folder, BACKUP_KEY }

async function refuses(args: string[], more: Record<string, string>, says: RegExp, code = 2): Promise<void> {
  assertRefused(await runInside(args, { ...settings, ...more }), { code, says })
}

test('settings that cannot back anything up are named', async () => {
  await refuses(['backup'], {}, /no backups are configured: set BACKUP_DIR and BACKUP_KEY, or BACKUP_PGBACKREST/)
  await refuses(['backup'], { BACKUP_DIR: folder }, /BACKUP_KEY is required with BACKUP_DIR/)
  await refuses(['backup'], inFolder, /BACKUP_DATABASE_URL is required with DATABASE_URL and BACKUP_DIR/)
  const both = { ...inFolder, BACKUP_PGBACKREST: 'main' }
  await refuses(['backup', 'list'], both, /BACKUP_DIR and BACKUP_PGBACKREST are two ways to back up/)
  const same = { BACKUP_DIR: folder, BACKUP_KEY: settings.MASTER_KEY ?? '' }
  await refuses(['backup', 'list'], same, /BACKUP_KEY is the same as MASTER_KEY/)
  await refuses(['backup', 'list'], { BACKUP_PGBACKREST: 'a b' }, /BACKUP_PGBACKREST must be the name of a stanza/)
  await refuses(['backup', '--full', '--incremental'], inFolder, /say --full or --incremental, not both/)
  await refuses(['backup', '--incremental'], inFolder, /an incremental backup is one of pgBackRest/)
})

test('a restore that cannot be is refused before anything is written', async () => {
  const into = join(folder, 'into')
  const restore = (to: string, place = into) => ['restore', '--to', to, '--into', place]
  await refuses(restore('yesterday'), inFolder, /--to must be latest, or a time with its offset/)
  await refuses(restore('2026-11-29T08:30:00'), inFolder, /--to must be latest, or a time with its offset/)
  await refuses(['restore', '--into', into], inFolder, /--to is required/)
  await refuses(restore('latest'), inFolder, /holds no finished full backup: nothing can be restored from it/, 1)
  await refuses(restore('latest', tmpdir()), inFolder, /is not empty: a restore writes over nothing/, 1)
})

test('without a backup the list is empty, and there is nothing to check', async () => {
  const list = await runInside(['backup', 'list'], { ...settings, ...inFolder })
  assert.equal(list.stdout, 'there is no backup\n')
  const verify = await runInside(['backup', 'verify'], { ...settings, ...inFolder })
  assert.equal(verify.stdout, '0 files (0 bytes of data) are as they were written\n')
})

test('restore open on a database that takes writes only freezes live payouts, once', async () => {
  const { run, json } = commandsOn(service)
  assert.deepEqual(await json('restore', 'open'), { open: true, promoted: false, frozen: true })
  assert.equal((await run('restore', 'open')).code, 0)
  const [freeze] = await service.rows('select frozen, reason from directory.payout_freeze')
  assert.deepEqual(freeze, { frozen: true, reason: 'restored from a backup' })
  await run('payouts', 'unfreeze')
})
