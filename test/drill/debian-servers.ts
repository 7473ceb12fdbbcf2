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
