import { type DestinationStream, type Logger, pino } from 'pino'
import { VERSION } from '../processes/version.ts'
import { toLoggedError } from './error-log.ts'
import type { LogLimiter } from './log-limiter.ts'

/** Makes the log of a running service: JSON lines, limited by `limiter`. `process` names one of several processes in each line. */
export const newServiceLog = (
  { level, limiter, process: name }: { level: string; limiter: LogLimiter; process?: string | undefined },
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid, ...(name === undefined ? {} : { process: name }), version: VERSION },
      serializers: { err: toLoggedError },
      hooks: { logMethod: limiter.hook },
    },
    ...(destination === undefined ? [] : [destination]),
  )
