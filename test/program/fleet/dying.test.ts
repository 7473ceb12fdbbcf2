import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Fleet, startFleet } from '../../helpers/service/fleet.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { startSteadyLoad } from '../../helpers/service/steady-load.ts'
import { startService } from '../../helpers/service/test-service.ts'

// A setting in a file, which is read at each start: a release that does not come up.
const folder = mkdtempSync(join(tmpdir(), 'fleet-'))
after(() => rmSync(folder, { recursive: true }))
const installations = join(folder, 'installations.json')
const breakRelease = () => writeFileSync(installations, 'not JSON')
const mendRelease = () => writeFileSync(installations, '[]')
mendRelease()

const service = opened(() => startService({}))
const fleet = opened(async (): Promise<Fleet & { close(): Promise<void> }> => {
  const started = await startFleet({ databaseUrl: service.database.url, env: { OP1_INSTALLATIONS: installations } })
  return { ...started, close: started.end }
})
const shop = made(() => service.merchant())
const saying = (text: string) => fleet.lines().filter(({ msg }) => msg === text)

test('a restart with a release that does not come up leaves those of before running, and says so', async () => {
  const before = fleet.children()
  breakRelease()
  const load = startSteadyLoad(fleet.url, shop.keys.test, 4)
  fleet.signal('SIGHUP')
  const givenUp = 'the restart was given up, because a new process did not come up; those of before go on'
  await eventually('it was given up', () => saying(givenUp).length === 1)
  const then = load.sent.length
  await eventually('payments go on', () => load.sent.length > then + 20)
  assert.deepEqual(
    (await load.stop()).filter(({ status }) => status !== 201),
    [],
  )
  assert.deepEqual(fleet.children(), before)
  assert.match(fleet.said(), /^OP1_INSTALLATIONS .*installations\.json is not JSON$/m)
})

test('a process that dies again and again is started ever later, and the others go on', async () => {
  const [victim, other] = fleet.children() as [number, number]
  process.kill(victim, 'SIGKILL')
  await eventually('it has been tried four times', () => saying('a process has ended by itself').length === 4)
  const waits = saying('a process has ended by itself').map(({ restart_ms }) => restart_ms)
  assert.deepEqual(waits, [100, 1000, 2000, 4000])
  assert.ok(fleet.children().includes(other))
  assert.equal((await fetch(`${fleet.url}/readyz`)).status, 200)
  const text = await (await fetch(fleet.metricsUrl)).text()
  assert.match(text, /^process_deaths_total\{role="all"\} 4$/m)
  assert.match(text, /^processes\{role="all"\} 1$/m)
})

test('once it can be started all are there again', async () => {
  mendRelease()
  await eventually('two answer', async () =>
    /^processes\{role="all"\} 2$/m.test(await (await fetch(fleet.metricsUrl)).text()),
  )
})

test('what is wrong at the first start is said once, and ends it with the code that one process has', async () => {
  const wrong = await startFleet({
    databaseUrl: service.database.url,
    env: { OP1_INSTALLATIONS: join(folder, 'none') },
  })
  assert.deepEqual(await wrong.ended, { code: 2, signal: null })
  assert.equal(wrong.said().match(/OP1_INSTALLATIONS/g)?.length, 1)
  const taken = await startFleet({ databaseUrl: service.database.url, env: { PORT: new URL(fleet.url).port } })
  assert.deepEqual(await taken.ended, { code: 1, signal: null })
  assert.match(taken.said(), /EADDRINUSE/)
  for (const given of ['0', '65', 'two', '1.5']) {
    const refused = await startFleet({ databaseUrl: service.database.url, words: ['--processes', given] })
    assert.deepEqual(await refused.ended, { code: 2, signal: null })
    assert.equal(refused.said(), '--processes must be auto or a whole number from 1 to 64\n')
  }
})

test('a port of its choice is the same for all processes, and stays', async () => {
  const chosen = await startFleet({
    databaseUrl: service.database.url,
    env: { PORT: '0', METRICS_PORT: String(await freePort()) },
  })
  try {
    const url = /^ready on (\S+)/m.exec(chosen.said())?.[1] as string
    assert.doesNotMatch(url, /:0$/)
    for (const pid of chosen.children()) process.kill(pid, 'SIGKILL')
    await eventually('it answers again at the same address', async () =>
      // What was just being handed to a killed process is never answered.
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
  } finally {
    await chosen.end()
  }
})
