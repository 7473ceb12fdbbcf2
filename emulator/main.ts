import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startEmulator } from './emulator.ts'
import { PROFILES, type ProfileName } from './profiles.ts'

const HELP = `The operator of op1_momo as a program of its own, for trials and tests.
  --port N            where it listens (default 8090)
  --control-port N    its control plane (default 8091, 0 for none), on 127.0.0.1
  --profile NAME      sandbox, mtnuganda (default) or bench
  --seed N            start of all randomness; printed, and replays a run
  --clock real|virtual
  --platform old|new
  --rules FILE        rules as JSON
  --retries none|short|long   how callbacks are repeated
  --state FILE        kept over a restart`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    'control-port': { type: 'string', default: '8091' },
    profile: { type: 'string', default: 'mtnuganda' },
    seed: { type: 'string', default: '1' },
    clock: { type: 'string', default: 'real' },
    platform: { type: 'string', default: 'old' },
    rules: { type: 'string' },
    retries: { type: 'string', default: 'none' },
    state: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`${HELP}\n`)
} else {
  if (!Object.hasOwn(PROFILES, values.profile))
    throw new Error(`there is no profile called ${values.profile}`)
  const controlPort = Number(values['control-port'])
  const emulator = await startEmulator({
    port: Number(values.port),
    controlPort: controlPort === 0 ? null : controlPort,
    profile: values.profile as ProfileName,
    seed: Number(values.seed),
    clock: values.clock === 'virtual' ? 'virtual' : 'real',
    platform: values.platform === 'new' ? 'new' : 'old',
    decide: values.profile === 'bench' ? 'at once' : 'profile',
    retries: values.retries === 'short' || values.retries === 'long' ? values.retries : 'none',
    ...(values.rules === undefined ? {} : { rules: JSON.parse(readFileSync(values.rules, 'utf8')) }),
    ...(values.state === undefined ? {} : { stateFile: values.state }),
  })
  process.stdout.write(`operator on ${emulator.url}, profile ${values.profile}, seed ${emulator.seed}\n`)
  if (emulator.controlUrl !== null)
    process.stdout.write(
      `control on ${emulator.controlUrl} (credentials: GET ${emulator.controlUrl}/credentials)\n`,
    )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void emulator.close().then(() => process.exit(0)))
}
