import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../processes/cannot-start.ts'
import { type Binaries, copyBinaries, findBinaries } from './binaries.ts'
import { hashFolderIdentity, makeOwned, shortTemporaryFolder } from './private-folder.ts'
import { canEnter, canRun, findAccount, type RunAs, runAsSelf, runInNamespace, runsAsRoot } from './run-as.ts'

/**
 * The folders of a server, the account under which it runs, and its binaries. `home`: the data folder, or the system folder to which it
 * points.
 */
export type ClusterPaths = { home: string; cluster: string; runAs: RunAs; binaries: Binaries }

type ClusterChoice = { dataDir: string; say: (line: string) => void; namespaces: boolean }

const POINTER = 'postgres-location'

/** Returns the folder of the PostgreSQL data: `<dataDir>/postgres`, unless a pointer file names another home. */
export function findClusterFolder(dataDir: string): string {
  return join(readPointer(dataDir) ?? dataDir, 'postgres')
}

/** Whether the folder holds a finished PostgreSQL data folder. */
export function isCluster(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'))
}

/**
 * Chooses the folders of the server and the account that runs it. Throws CannotStart, which says what to do, when none fit. Call under the
 * lock.
 */
export function chooseClusterPaths(choice: ClusterChoice): ClusterPaths {
  const { dataDir } = choice
  const pointed = readPointer(dataDir)
  if (pointed !== null && !isCluster(join(pointed, 'postgres')))
    throw new CannotStart(
      `${join(dataDir, POINTER)} names ${pointed} as the database's place, and no database is there.`,
    )
  if (!runsAsRoot()) return clusterPathsIn(pointed ?? dataDir, runAsSelf())
  const account = findAccount()
  if (account === null)
    throw new CannotStart(
      'PostgreSQL does not run as root, and there is no account postgres or nobody: set DATABASE_URL.',
    )
  if (pointed !== null) return clusterPathsIn(pointed, account)
  if (canEnter(account, dataDir)) return clusterPathsIn(dataDir, account)
  const inside = choice.namespaces ? runInNamespace(account) : null
  return inside ? clusterPathsIn(dataDir, inside) : clusterPathsIn(chooseSystemHome(choice, account), account)
}

/** Notes in the data folder that its database is elsewhere. Call it only once the database exists there. */
export function writePointer(dataDir: string, paths: ClusterPaths): void {
  const pointer = join(dataDir, POINTER)
  if (paths.home === dataDir || existsSync(pointer)) return
  writeFileSync(`${pointer}.new`, `${paths.home}\n`, { flush: true })
  renameSync(`${pointer}.new`, pointer)
}

function readPointer(dataDir: string): string | null {
  const pointer = join(dataDir, POINTER)
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : null
}

function clusterPathsIn(home: string, runAs: RunAs): ClusterPaths {
  const installed = findBinaries()
  // Only an account other than ours can be shut out of node_modules; the check costs some milliseconds.
  const usable = installed.linked && (runAs.kind !== 'account' || canRunFrom(installed, runAs))
  const binaries = usable ? installed : copyBinaries(installed, home)
  return { home, cluster: join(home, 'postgres'), runAs, binaries }
}

function canRunFrom(binaries: Binaries, runAs: RunAs): boolean {
  return canRun(runAs, join(binaries.folder, 'bin', 'postgres'))
}

// Chooses a system folder for the database: only root can enter the data folder, and there are no user namespaces.
function chooseSystemHome(choice: ClusterChoice, account: RunAs): string {
  const { dataDir, say } = choice
  if (isCluster(join(dataDir, 'postgres')))
    throw new CannotStart(`PostgreSQL's account cannot enter ${dataDir} any more: open its parents again (chmod o+x).`)
  const name = `gateway-${hashFolderIdentity(dataDir)}`
  for (const parent of ['/var/lib', shortTemporaryFolder()]) {
    const home = join(parent, name)
    if (!makeEnterable(home, account)) continue
    say(`PostgreSQL's account cannot enter ${dataDir}, so the database lives in ${home}.`)
    return home
  }
  throw new CannotStart(`PostgreSQL's account can enter neither ${dataDir} nor /var/lib: set DATABASE_URL.`)
}

function makeEnterable(home: string, account: RunAs): boolean {
  try {
    mkdirSync(join(home, '..'), { recursive: true })
    makeOwned(home, account)
    chmodSync(home, 0o711)
    if (canEnter(account, home)) return true
    rmdirSync(home)
    return false
  } catch {
    return false // Not empty, or a read-only system folder: the next one is tried, and the last failure is a sentence.
  }
}
