import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, clockFollowingFile } from '../../src/platform/time/clock.ts'

/** The clock of an installation, and those of its processes: they follow it, and each can be wrong by itself. */
export type ProcessClocks = {
  clock: Clock
  /** What a command follows: it is never wrong. */
  file: string
  advance(ms: number): void
  /** A clock for one process. */
  own(name: string): OwnClock
}
type OwnClock = {
  file: string
  /** From now on it is wrong by so many ms; 0 sets it right. */
  setWrong(byMs: number): void
  /** Its process has ended. */
  drop(): void
}

export function makeProcessClocks(folder: string): ProcessClocks {
  const file = join(folder, 'clock')
  const wrongBy = new Map<string, number>()
  let offsetMs = 0
  const write = (path: string, wrongMs: number) => {
    // A process looks at it any time: it must find all of it.
    writeFileSync(`${path}.new`, `${offsetMs} ${wrongMs}`)
    renameSync(`${path}.new`, path)
  }
  const setWrong = (path: string, byMs: number) => {
    wrongBy.set(path, byMs)
    write(path, byMs)
  }
  write(file, 0)
  return {
    file,
    clock: clockFollowingFile(file),
    advance: (ms) => {
      offsetMs += ms
      write(file, 0)
      for (const [path, byMs] of wrongBy) write(path, byMs)
    },
    own: (name) => {
      const path = join(folder, `clock-${name}`)
      setWrong(path, 0)
      return {
        file: path,
        setWrong: (byMs) => setWrong(path, byMs),
        drop: () => {
          wrongBy.delete(path)
          rmSync(path, { force: true })
        },
      }
    },
  }
}
