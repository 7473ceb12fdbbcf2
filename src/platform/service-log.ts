import { type DestinationStream, type Logger, pino } from 'pino'
import { loggedError } from './error-log.ts'
import type { FewLines } from './few-lines.ts'
import { VERSION } from './version.ts'

/** Makes the log of a running service: JSON lines, limited by `limiter`. */
export const serviceLog = (
  { level, few }: { level: string; few: FewLines },
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid, version: VERSION },
      serializers: { err: loggedError },
      hooks: { logMethod: few.hook },
    },
    ...(destination === undefined ? [] : [destination]),
  )
