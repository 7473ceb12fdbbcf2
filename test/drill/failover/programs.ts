import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { hasOpenssl } from '../certificates.ts'
import { account, DEBIAN, findServerPrograms } from '../debian-servers.ts'

const PACKAGES = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' } as const

/** Why a cluster cannot be made here, as a sentence; null where it can. */
export function findHindrance(): string | null {
  if (findServerPrograms() === null) return `no PostgreSQL server is installed below ${DEBIAN}`
  if (!hasOpenssl()) return 'openssl is not installed'
  const missing = Object.entries(PACKAGES).filter(([program]) => isMissing(program))
  if (missing.length === 0) return null
  const [names, packages] = [missing.map(([program]) => program), missing.map(([, name]) => name)]
  return `not installed: ${names.join(', ')} (apt-get install ${packages.join(' ')})`
}

// haproxy lies where only root looks.
const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`
const isMissing = (program: string) => spawnSync('which', [program], { env: { PATH }, stdio: 'ignore' }).status !== 0

/** Starts a program that stays; its output goes to a file. */
export function startProgram(program: string, words: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a')
  const own = account()
  const options: SpawnOptions = {
    ...(own === null ? {} : { uid: own.uid, gid: own.gid }),
    ...{ cwd: '/', env: { PATH, LC_ALL: 'C', TZ: 'UTC', HOME: '/nonexistent' }, stdio: ['ignore', log, log] },
  }
  const child = spawn(program, words, options)
  // The log says why it did not start.
  child.on('error', () => {})
  closeSync(log)
  return child
}
