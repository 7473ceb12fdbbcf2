// The ordinary service with a live rail, which only construction can give it.
// Usage: live-service.js <address of the operator> [all|web|worker]
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { clockFollowingFile, systemClock } from '../../src/platform/clock.ts'
import { type Role, serve } from '../../src/serve.ts'
import { httpRail } from '../helpers/http-rail.ts'

const [operatorUrl = '', role = 'all'] = process.argv.slice(2)
const config = readConfig()
const clock = config.testClock === null ? systemClock() : clockFollowingFile(config.testClock)
await serve({
  config,
  role: role as Role,
  log: pino({ level: config.logLevel }),
  say: (line) => process.stderr.write(`${line}\n`),
  liveRails: { op1_momo: httpRail(operatorUrl, clock) },
})
