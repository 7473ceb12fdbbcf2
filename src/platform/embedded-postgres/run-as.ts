import { type SpawnOptions, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * The account under which the server runs. `self`: our own. `account`: PostgreSQL refuses to run as root, so started by root it runs
 * under an unprivileged account. `namespace`: in a user namespace in which our own root has that account's number, which reaches
 * folders that only root can enter and has none of root's capabilities. `owner`: the owner of its files, as seen from outside.
 */
export type RunAs = {
  kind: 'self' | 'account' | 'namespace'
  uid: number
  gid: number
  owner: { uid: number; gid: number }
}

/** A command line and the options to spawn it with. */
export type SpawnCommand = { file: string; args: string[]; options: SpawnOptions }

// Nothing of the caller's environment reaches the server: PGDATA, LC_ALL or TZ would change what it does.
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }
const PROBE_TIMEOUT_MS = 10_000

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0
}

export function runAsSelf(): RunAs {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  return { kind: 'self', ...owner, owner }
}

/** Finds the unprivileged account for a server started by root: `postgres`, else `nobody`. Null when there is neither. */
export function findAccount(): RunAs | null {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (!fields) continue
    const owner = { uid: Number(fields[2]) >>> 0, gid: Number(fields[3]) >>> 0 } // macOS writes nobody as -2.
    return { kind: 'account', ...owner, owner }
  }
  return null
}

/** Uses the account's number in a user namespace of our own. Null where the kernel or the container forbids it. */
export function runInNamespace(account: RunAs): RunAs | null {
  if (process.platform !== 'linux') return null
  const runAs: RunAs = { kind: 'namespace', uid: account.uid, gid: account.gid, owner: { uid: 0, gid: 0 } }
  return runsSuccessfully(commandAs(runAs, '/bin/sh', ['-c', `test "$(id -u)" = ${account.uid}`])) ? runAs : null
}

/** Whether that account can enter the folder. */
export function canEnter(runAs: RunAs, folder: string): boolean {
  // The change of folder must come after the change of account, which `cwd` of spawn does not do.
  return runsSuccessfully(commandAs(runAs, '/bin/sh', ['-c', 'cd -- "$0"', folder]))
}

/** Whether that account can run the program. */
export function canRun(runAs: RunAs, program: string): boolean {
  return runsSuccessfully(commandAs(runAs, program, ['--version']))
}

/** Builds the command that starts a program under that account. */
export function commandAs(runAs: RunAs, file: string, args: string[]): SpawnCommand {
  const options: SpawnOptions = { cwd: '/', env: ENVIRONMENT }
  if (runAs.kind === 'account') return { file, args, options: { ...options, uid: runAs.uid, gid: runAs.gid } }
  if (runAs.kind === 'self') return { file, args, options }
  const mapping = ['--user', `--map-user=${runAs.uid}`, `--map-group=${runAs.gid}`, '--']
  return { file: 'unshare', args: [...mapping, file, ...args], options }
}

function runsSuccessfully(command: SpawnCommand): boolean {
  const options = { ...command.options, stdio: 'ignore' as const, timeout: PROBE_TIMEOUT_MS }
  return spawnSync(command.file, command.args, options).status === 0
}
