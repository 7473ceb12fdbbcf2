import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { joinEmbeddedPostgres } from '../../../src/platform/embedded-postgres.ts'
import { freePort } from '../../crash/installation.ts'
import { killPostgres, PROGRAM } from '../../crash/processes.ts'
import { account, DEBIAN, findServerPrograms } from '../debian-servers.ts'
import { MASTER_KEY } from '../on-program.ts'

export type DrillWay = 'embedded' | 'own' | 'pgbackrest'
/** A database server of the drill, which it may destroy. */
export type DrillServer = {
  /** The settings of everything that works on it. */
  settings: Record<string, string>
  /** Settings of the repository alone, by which it is restored when the server is gone. */
  repository: Record<string, string>
  /** The folder with the backups. */
  backups: string
  /** kill -9 of PostgreSQL, and its data folder is gone. */
  destroy(): Promise<void>
  /** Starts what was restored. */
  startRestored(into: string): Promise<RestoredServer>
  /** Ends what still runs. */
  end(): Promise<void>
}
/** `settings`: of commands that work on it. `url`: to look at its rows. */
type RestoredServer = { settings: Record<string, string>; url: string; stop(): Promise<void> }

const STANZA = 'drill'
const SUPERUSER = 'postgres'
const BACKUP_KEY = Buffer.alloc(32, 5).toString('base64')
// What a server of one's own is told, so that no acknowledged payment lies on one disk alone.
const SYNCHRONOUS = `alter system set synchronous_standby_names = 'gateway_backup'`

/** Why this way cannot be tried here; null where it can. */
export function findHindrance(way: DrillWay): string | null {
  if (way === 'embedded') return null
  if (findServerPrograms() === null) return `no PostgreSQL server is installed below ${DEBIAN}`
  const isMissing = way === 'pgbackrest' && spawnSync('pgbackrest', ['version']).status !== 0
  return isMissing ? 'pgbackrest is not installed' : null
}

/** Starts a server in this folder and makes its backups possible. */
export async function startDrillServer(way: DrillWay, folder: string): Promise<DrillServer> {
  chmodSync(folder, 0o711)
  return way === 'embedded' ? embedded(folder) : ownServer(way, folder)
}

async function embedded(folder: string): Promise<DrillServer> {
  const [dataDir, backups] = [join(folder, 'data'), join(folder, 'backups')]
  const repository = { BACKUP_DIR: backups, BACKUP_KEY, MASTER_KEY }
  return {
    settings: { DATA_DIR: dataDir, ...repository },
    repository: { ...repository, DATA_DIR: join(folder, 'nothing') },
    backups,
    destroy: async () => {
      await killPostgres(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
    startRestored: async (into) => {
      const server = await joinEmbeddedPostgres({ dataDir: into, say: () => {} })
      return { settings: { DATA_DIR: into, MASTER_KEY }, url: server.url('gateway'), stop: () => server.leave() }
    },
    end: async () => void (existsSync(dataDir) && (await killPostgres(dataDir))),
  }
}

const identity = () => {
  const own = account()
  return own === null ? {} : { uid: own.uid, gid: own.gid }
}

function run(program: string, words: readonly string[]): string {
  const path = join(findServerPrograms() ?? '', program)
  return execFileSync(path, words, { ...identity(), cwd: '/', encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

async function ownServer(way: 'own' | 'pgbackrest', folder: string): Promise<DrillServer> {
  const data = join(folder, 'server')
  const backups = join(folder, 'backups')
  for (const made of [data, backups]) {
    mkdirSync(made, { mode: 0o700 })
    const owner = account()
    if (owner !== null && (made === data || way === 'pgbackrest')) chownSync(made, owner.uid, owner.gid)
  }
  run('initdb', ['-D', data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--data-checksums'])
  const port = await freePort()
  const config = join(folder, 'pgbackrest.conf')
  const archive =
    way === 'own'
      ? ''
      : `-c archive_mode=on -c archive_timeout=30 -c 'archive_command=pgbackrest --config=${config} --stanza=${STANZA} archive-push %p'`
  start(data, port, archive)
  const url = urlOf(port)
  psql(port, 'create database gateway', 'postgres')
  psql(port, 'create role gateway_backup login replication', 'postgres')
  const repository: Record<string, string> =
    way === 'own'
      ? { BACKUP_DIR: backups, BACKUP_KEY, MASTER_KEY }
      : { BACKUP_PGBACKREST: STANZA, PGBACKREST_CONFIG: config, MASTER_KEY }
  // Servers that are restored ask pgBackRest for their WAL, and find its configuration by this too.
  if (way === 'pgbackrest') process.env.PGBACKREST_CONFIG = config
  if (way === 'pgbackrest') configurePgBackRest({ config, data, backups, port })
  const settings = {
    DATABASE_URL: url,
    BACKUP_DATABASE_URL: url.replace(`${SUPERUSER}@`, 'gateway_backup@'),
    ...repository,
  }
  const stream = way === 'own' ? await startStream(port, settings) : null
  return {
    settings,
    // The way of restoring is that of a server of one's own; its address does not answer any more.
    repository: { ...repository, DATABASE_URL: url },
    backups,
    destroy: async () => {
      kill(data)
      rmSync(data, { recursive: true, force: true })
      stream?.kill('SIGTERM')
    },
    startRestored: async (into) => startRestored(into, await freePort()),
    end: async () => {
      stream?.kill('SIGKILL')
      if (existsSync(data)) kill(data)
    },
  }
}

/** A process of its own takes the WAL, and the server answers no commit that it does not have. */
async function startStream(port: number, settings: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'backup', 'stream'], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.setEncoding('utf8')
  for (let said = ''; !said.includes('is streamed to'); ) said += (await once(child.stderr, 'data'))[0]
  child.stderr.resume()
  psql(port, SYNCHRONOUS, 'postgres')
  psql(port, 'select pg_reload_conf()', 'postgres')
  return child
}

async function startRestored(into: string, port: number): Promise<RestoredServer> {
  const owner = account()
  if (owner !== null) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, into])
  start(into, port, '')
  return {
    settings: { DATABASE_URL: urlOf(port), MASTER_KEY },
    url: urlOf(port),
    stop: async () => kill(into),
  }
}

const urlOf = (port: number) => `postgresql://${SUPERUSER}@127.0.0.1:${port}/gateway`

function start(data: string, port: number, more: string): void {
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${data} -c max_connections=100 -c max_wal_size=1GB ${more}`
  const log = join(data, 'log')
  try {
    run('pg_ctl', ['start', '-w', '-t', '60', '-D', data, '-l', log, '-o', settings])
  } catch {
    throw new Error(`the server did not start: ${readFileSync(log, 'utf8').slice(-3000)}`)
  }
}

function kill(data: string): void {
  try {
    run('pg_ctl', ['stop', '-m', 'immediate', '-w', '-D', data])
  } catch {
    // It has ended already.
  }
}

const psql = (port: number, statement: string, database: string) =>
  run('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', SUPERUSER, '-d', database, '-qAt', '-c', statement])

type PgBackRestPlace = { config: string; data: string; backups: string; port: number }

function configurePgBackRest({ config, data, backups, port }: PgBackRestPlace): void {
  const repository = [`repo1-path=${backups}`, 'repo1-cipher-type=aes-256-cbc', 'repo1-cipher-pass=of-the-drill-alone']
  const server = [`pg1-path=${data}`, `pg1-port=${port}`, `pg1-socket-path=${data}`, `pg1-user=${SUPERUSER}`]
  const places = [`lock-path=${backups}/lock`, `log-path=${backups}/log`, 'log-level-file=off', 'compress-type=gz']
  writeFileSync(
    config,
    ['[global]', ...repository, ...places, 'compress-level=1', `[${STANZA}]`, ...server, ''].join('\n'),
  )
  chmodSync(config, 0o644)
  const words = [`--config=${config}`, `--stanza=${STANZA}`, '--log-level-console=off', 'stanza-create']
  execFileSync('pgbackrest', words, { ...identity(), cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}
