import { randomBytes } from 'node:crypto'
import { lchownSync, renameSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { ClusterPlace } from './place.ts'

const MAP = 'gateway'

/**
 * Where another account runs the server (ours being root), its other processes could enter the folder of the socket: an
 * installation without an account `postgres` shares `nobody` with strangers. The server then asks the kernel who is at the
 * other end, and lets in our own account alone, as any of its roles. Read at each start.
 */
export function letInOnlyUs(place: ClusterPlace): void {
  const own = userInfo().username
  write(place, 'pg_ident.conf', `${MAP} "${own}" all\n`)
  write(place, 'pg_hba.conf', `local all all peer map=${MAP}\n`)
}

// The folder belongs to that account, which may have put a link under any name: a new file is made and renamed over it.
function write({ cluster, runAs }: ClusterPlace, name: string, text: string): void {
  const path = join(cluster, name)
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 })
  lchownSync(unfinished, runAs.owner.uid, runAs.owner.gid)
  renameSync(unfinished, path)
}
