import type { Readable } from 'node:stream'
import { pino } from 'pino'
import { newLogLimiter } from '../../platform/log/log-limiter.ts'
import { newServiceLog } from '../../platform/log/service-log.ts'
import type { Config } from '../settings/config.ts'

/** Where lines go. `write` answers false while it has enough; then it emits `drain`. */
type LineTarget = {
  write(lines: Buffer): boolean
  once(event: 'drain', listener: () => void): unknown
}

const NEWLINE = 10

/** The one log: lines of the children, and those of the parent between them. A reader that does not keep up holds up nobody. */
export function openOutput({ logLevel }: Config) {
  const output = pino.destination({ dest: 1, sync: false, contentMode: 'buffer' })
  const lines: LineTarget = {
    // Its types know texts alone.
    write: (written) => output.write(written as never),
    once: (event, listener) => output.once(event, listener),
  }
  const ownLines = { write: (line: string) => void lines.write(Buffer.from(line)) }
  return {
    output,
    lines,
    log: newServiceLog({ level: logLevel, limiter: newLogLimiter(), process: 'parent' }, ownLines),
  }
}

/**
 * Passes on what a process writes in whole lines, so that lines of several processes never mix. While the target has enough the process is
 * not read; it then counts what it drops. The line in whose middle a process was killed is dropped.
 */
export function forwardLines(from: Readable, target: LineTarget): void {
  let begun: Buffer[] = []
  from.on('data', (piece: Buffer) => {
    const end = piece.lastIndexOf(NEWLINE)
    if (end < 0) {
      begun.push(piece)
      return
    }
    const lines = piece.subarray(0, end + 1)
    const more = target.write(begun.length === 0 ? lines : Buffer.concat([...begun, lines]))
    begun = end + 1 === piece.length ? [] : [piece.subarray(end + 1)]
    if (more) return
    from.pause()
    target.once('drain', () => from.resume())
  })
}
