import { setTimeout as pause } from 'node:timers/promises'
import { runBeside } from '../../release/run.mjs'
import { newDoor, payAllTheTime } from './clients.mjs'
import { inspect, podman, until } from './podman.mjs'
import { succeeds } from './project.mjs'

const STARTS = 3
const MAX_START_S = 2
const MAX_STOP_S = 3
const LOAD_MS = 2000

/**
 * One process in a container of its own, read-only and without rights, on the database of the project: how soon it is ready, and how it
 * stops while it is paid.
 */
export async function measureOneProcess(project, { image, key, figures }) {
  const name = `${project.name}_one_1`
  const seconds = []
  for (let nth = 1; nth <= STARTS; nth += 1) {
    const url = begin(project, { image, name })
    const readyAt = await untilAnswered(url)
    seconds.push(((readyAt - Date.parse(inspect(name).State.StartedAt)) / 1000).toFixed(2))
    if (nth < STARTS) podman('rm', '--force', '--volumes', '--time', '0', name)
  }
  figures.note('starts, from the first instruction until ready', seconds.join(' '), 's')
  figures.below('the best of them', Math.min(...seconds.map(Number)), MAX_START_S, 's')
  await stopWhilePaid(project, { name, key, figures })
}

function begin({ name: project, settings }, { image, name }) {
  const changed = {
    ...settings,
    NODE_ENV: 'development',
    DRAIN_SECONDS: '0',
    RATE_LIMIT_CHARGES: '0',
    RATE_LIMIT_ALL: '0',
  }
  const environment = Object.entries(changed).flatMap(([setting, value]) => ['--env', `${setting}=${value}`])
  const walls = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges']
  const volumes = ['--volume', `${project}_sockets:/run/postgresql`, '--volume', `${project}_data:/data`]
  podman('run', '--detach', '--name', name, '--publish', '127.0.0.1::8080', ...walls, ...volumes, ...environment, image)
  return `http://${podman('port', name, '8080/tcp')}`
}

async function untilAnswered(url) {
  const door = newDoor(url)
  try {
    return await until(`${url} is ready`, 60, async () => {
      const { status } = await door.ask('/readyz').catch(() => ({ status: null }))
      return status === 200 && Date.now()
    })
  } finally {
    await door.close()
  }
}

async function stopWhilePaid(project, { name, key, figures }) {
  const door = newDoor(`http://${podman('port', name, '8080/tcp')}`)
  const load = payAllTheTime(door, key, `one-${Date.now()}`)
  await pause(LOAD_MS)
  const before = load.acknowledged.size
  const began = performance.now()
  await runBeside('podman', ['stop', '--time', '45', name])
  figures.below('a stop with payments in flight', ((performance.now() - began) / 1000).toFixed(2), MAX_STOP_S, 's')
  await load.stop()
  await door.close()
  const code = inspect(name).State.ExitCode
  figures.holds('its exit code is 0', code === 0, `${code}`)
  figures.holds('it was being paid', before > 0, `${before} payments`)
  holdAll(project, { load, figures, what: 'all that it acknowledged is stored' })
  succeeds(() => podman('rm', '--force', '--volumes', '--time', '0', name))
}

/** Whether each payment that was acknowledged is stored, once. */
export function holdAll({ sql }, { load, figures, what }) {
  const ids = [...load.acknowledged.values()]
  const list = ids.map((id) => `'${id}'`).join(',')
  const stored = ids.length === 0 ? 0 : Number(sql(`select count(*) from cell_0.charges where id in (${list})`))
  figures.holds(`${what} (${ids.length})`, stored === ids.length, `${stored} of ${ids.length}`)
}
