import { userInfo } from 'node:os'
import type { CommandActor } from './input.ts'

/** The actor of a command: the account on the machine that runs it. */
export function readAccountActor(): CommandActor {
  const name = readAccountName()
  return { kind: 'command', name: `command line: ${name}`, origin: name, requestId: null }
}

function readAccountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
