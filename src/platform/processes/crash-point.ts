import { readFileSync, statSync } from 'node:fs'

let armed: { name: string; passesLeft: number; signal: 'SIGKILL' | 'SIGSTOP' } | null = null
let followed: { path: string; changedMs: number } | null = null

/**
 * Arms one point: `name` or `name:n` for the n-th pass, `name:n:sleep` to stop the process there until it is woken; `@path` arms the
 * point that the file names as soon as it is written. Only program/settings/config.ts calls it, and only together with TEST_HOOKS.
 */
export function armCrashPoint(setting: string): void {
  if (setting.startsWith('@')) {
    followed = { path: setting.slice(1), changedMs: -1 }
    return
  }
  const [name = '', pass = '1', end] = setting.split(':')
  armed = { name, passesLeft: Number(pass), signal: end === 'sleep' ? 'SIGSTOP' : 'SIGKILL' }
}

/** Kills the process (SIGKILL), or stops it (SIGSTOP), when this point is the armed one. */
export function crashPoint(name: string): void {
  if (followed !== null) rereadArmedPoint(followed)
  if (armed === null || armed.name !== name) return
  armed.passesLeft -= 1
  if (armed.passesLeft === 0) process.kill(process.pid, armed.signal)
}

function rereadArmedPoint(file: { path: string; changedMs: number }): void {
  const { mtimeMs } = statSync(file.path, { throwIfNoEntry: false }) ?? { mtimeMs: -1 }
  if (mtimeMs === file.changedMs) return
  file.changedMs = mtimeMs
  if (mtimeMs >= 0) armCrashPoint(readFileSync(file.path, 'utf8'))
}
