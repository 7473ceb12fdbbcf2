// The ordinary service with a live rail, which can only be passed in when the gateway is constructed.
// Usage: live-service.js <address of the operator> [all|web|worker] [<address of a second contract> <file with the active one>]
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { clockFollowingFile, systemClock } from '../../src/platform/time/clock.ts'
import { type Role, serve } from '../../src/program/serve.ts'
import { readConfig } from '../../src/program/settings/config.ts'
import { type HttpRail, httpRail, SECOND_CONTRACT } from '../helpers/service/http-rail.ts'

const [operatorUrl = '', role = 'all', secondUrl, contractFile] = process.argv.slice(2)
const config = readConfig()
const clock = config.testClock === null ? systemClock() : clockFollowingFile(config.testClock)
await serve({
  config,
  role: role as Role,
  log: pino({ level: config.logLevel }),
  say: (line) => process.stderr.write(`${line}\n`),
  ready: (url) => process.stderr.write(`ready on ${url}\n`),
  liveRails: { op1_momo: railOf(httpRail(operatorUrl, clock)) },
})

/** Follows the file in which staff switch the active contract while the service runs. */
function railOf(rail: HttpRail): HttpRail {
  rail.callBack()
  if (secondUrl === undefined || contractFile === undefined) return rail
  rail.addInstallation(SECOND_CONTRACT, secondUrl)
  const readiness: HttpRail['readiness'] = (...asked) => {
    rail.activate(readFileSync(contractFile, 'utf8'))
    return rail.readiness(...asked)
  }
  return { ...rail, readiness }
}
