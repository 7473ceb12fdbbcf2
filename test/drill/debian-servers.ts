import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findAccount, runsAsRoot } from '../../src/platform/embedded-postgres/run-as.ts'

/** Where Debian's packages put the servers of each version. */
export const DEBIAN = '/usr/lib/postgresql'

/** The programs of the newest server of Debian's packages; null where there is none. */
export function findServerPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).filter((name) => /^\d+$/.test(name)) : []
  const newest = versions.map(Number).sort((a, b) => b - a)[0]
  const bin = join(DEBIAN, String(newest), 'bin')
  return existsSync(join(bin, 'initdb')) ? bin : null
}

/** The account under which servers run: PostgreSQL refuses to run as root. */
export const account = () => (runsAsRoot() ? findAccount() : null)

/** Runs a program to its end as the account of the servers. Returns its output. */
export function runAsServer(program: string, words: readonly string[], env: Record<string, string> = {}): string {
  const own = account()
  return execFileSync(program, words, {
    ...(own === null ? {} : { uid: own.uid, gid: own.gid }),
    ...{ cwd: '/', encoding: 'utf8', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', ...env } },
    // Without handles that a server which is started would keep open.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}
