import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../helpers/service/command-line.ts'
import type { DrillServer, DrillWay } from './drill-server.ts'
import { copyOf } from './restore-drill.ts'

type Spoiled = { way: DrillWay; server: DrillServer; folder: string; moment: Date; wrong: string[] }

/** What cannot be restored is refused with a sentence, and leaves nothing behind. */
export async function trySpoiled(drill: Spoiled): Promise<void> {
  const { server, moment } = drill
  const other = Buffer.alloc(32, 9).toString('base64')
  await refused(drill, { ...server.repository, MASTER_KEY: other }, /master key at hand does not open/)
  if (drill.way === 'pgbackrest') return
  await refused(drill, { ...server.repository, BACKUP_KEY: other }, /sealed with another BACKUP_KEY/)
  const copy = copyOf(server.backups, drill.folder)
  const settings = { ...server.repository, BACKUP_DIR: copy }
  const [full = ''] = readdirSync(join(copy, 'full'))
  const base = join(copy, 'full', full, 'base.tar.sealed')
  damage(base)
  await refused(drill, settings, new RegExp(`${base} is damaged at byte`))
  damage(base)
  const segments = readdirSync(join(copy, 'wal')).sort()
  const newest = segments.at(-1) ?? ''
  rmSync(join(copy, 'wal', segments.at(-2) ?? ''))
  const says = new RegExp(`segment ${(segments.at(-2) ?? '').slice(0, 24)} is missing.*can be restored up to`)
  if (segments.length > 2) await refused(drill, settings, says)
  rmSync(join(copy, 'wal', newest))
  const late = { ...settings }
  await refused(
    drill,
    late,
    /ends at .*restore with --to latest/,
    new Date(moment.getTime() + 86_400_000).toISOString(),
  )
}

/** Turns a bit of its middle over. Doing it again mends it. */
function damage(path: string): void {
  const at = Math.floor(statSync(path).size / 2)
  const file = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, at)
  writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  closeSync(file)
}

async function refused(drill: Spoiled, settings: Record<string, string>, says: RegExp, to = 'latest'): Promise<void> {
  const into = join(drill.folder, 'refused')
  const ran = await runProgram(['restore', '--to', to, '--into', into], settings)
  if (ran.code === 0 || !says.test(ran.stderr)) drill.wrong.push(`not refused with ${says}: ${ran.code} ${ran.stderr}`)
  rmSync(into, { recursive: true, force: true })
}
