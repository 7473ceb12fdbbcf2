import { randomBytes } from 'node:crypto'
import { lchownSync, renameSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { ClusterPaths } from './cluster-paths.ts'

const MAP = 'gateway'

/**
 * Makes the server accept only connections of our own account, as any of its roles. For a server that runs under another account because
 * ours is root: other processes of that account could enter the folder of the socket, and on a machine without an account `postgres` the
 * server shares `nobody` with strangers. The server asks the kernel which account is at the other end. It reads these files at each start.
 */
export function allowOnlyOwnAccount(paths: ClusterPaths): void {
  const own = userInfo().username
  replaceFile(paths, 'pg_ident.conf', `${MAP} "${own}" all\n`)
  replaceFile(paths, 'pg_hba.conf', `local all all peer map=${MAP}\n`)
}

// The folder belongs to that account, which may have put a link under any name. So a new file is written and renamed over it.
function replaceFile({ cluster, runAs }: ClusterPaths, name: string, text: string): void {
  const path = join(cluster, name)
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 })
  lchownSync(unfinished, runAs.owner.uid, runAs.owner.gid)
  renameSync(unfinished, path)
}
