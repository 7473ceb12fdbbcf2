import cluster from 'node:cluster'
import { type CommandStreams, runCommand } from './program/commands/frame/run-command.ts'
import { WrongUsage } from './program/commands/frame/wrong-usage.ts'
import { openParentLink } from './program/fleet/parent-link.ts'
import { parseProcesses, planChildren } from './program/fleet/plan-children.ts'
import type { Role } from './program/serve.ts'
import type { Config } from './program/settings/config.ts'

const ROLES: readonly Role[] = ['all', 'web', 'worker']

const STREAMS: CommandStreams = {
  out: (text) =>
    new Promise((resolve, reject) =>
      process.stdout.write(text, (error) => (error && !isReaderGone(error) ? reject(error) : resolve())),
    ),
  err: (text) => void process.stderr.write(text),
}
const READER_GONE =
  'the program that reads this output has ended, so the rest was not written: run the command without it to see all\n'

const isReaderGone = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE'

// A reader may end early, as `| head -1` does. The command still does its work, and its exit code says how that ended. Other errors reach
// whoever has written.
process.stdout.on('error', (error) => void (isReaderGone(error) && process.stderr.write(READER_GONE)))
process.stderr.on('error', () => {})

/** Serves in this process, or starts several and watches over them. What neither commands nor the other need is loaded here. */
async function runService(config: Config, options: Readonly<Record<string, unknown>>): Promise<void> {
  const role = parseRole(options.role)
  const processes = cluster.isWorker ? Number(options.processes) : parseProcesses(options.processes)
  const children = cluster.isWorker ? [] : planChildren(role, processes)
  if (children.length > 0) {
    const { runParent } = await import('./program/fleet/run-parent.ts')
    await runParent(config, children)
  }
  const { runProcess } = await import('./program/run-process.ts')
  await runProcess(config, { role, parent: openParentLink(role, processes) })
}

function parseRole(given: unknown): Role {
  if (given === undefined) return 'all'
  const role = ROLES.find((known) => known === given)
  if (role === undefined) throw new WrongUsage(`--role must be one of ${ROLES.join(', ')}`)
  return role
}

const exitCode = await runCommand(process.argv.slice(2), {
  streams: STREAMS,
  runService,
})
// Set instead of calling exit, so that what was written reaches its reader first.
if (exitCode === 0) process.exitCode = 0
else process.exit(exitCode)
