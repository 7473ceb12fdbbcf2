import { type DestinationStream, type Logger, pino } from 'pino'
import { VERSION } from '../processes/version.ts'
import { toLoggedError } from './error-log.ts'
import type { LogLimiter } from './log-limiter.ts'

/** Makes the log of a running service: JSON lines, limited by `limiter`. */
export const newServiceLog = (
  { level, limiter }: { level: string; limiter: LogLimiter },
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid, version: VERSION },
      serializers: { err: toLoggedError },
      hooks: { logMethod: limiter.hook },
    },
    ...(destination === undefined ? [] : [destination]),
  )
