import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The whole service in a process of its own, so that measurements there do not include the test itself. */
export type ServiceProcess = {
  url: string
  /** A full test key. */
  key: string
  /** The X-Timestamp for now. */
  timestamp(): string
  /** How many sockets the process has open. */
  sockets(): Promise<number>
  /** Runs `work` and returns the longest time in ms for which the service's event loop was blocked meanwhile. */
  longestHold(work: () => Promise<unknown>): Promise<number>
  /** Stops the process where it is, and lets it go on. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

export type Question = 'sockets' | 'watch' | 'longest hold' | 'stop'
export type Told = { url: string; key: string } | { answer: number }

const PROGRAM = join(import.meta.dirname, 'service-process-main.js')

export async function startServiceProcess(): Promise<ServiceProcess> {
  const child = fork(PROGRAM)
  const [ready] = (await once(child, 'message')) as [{ url: string; key: string }]
  const ask = async (question: Question): Promise<number> => {
    const answered = once(child, 'message')
    child.send(question)
    const [told] = (await answered) as [{ answer: number }]
    return told.answer
  }
  return {
    ...ready,
    timestamp: () => String(Math.floor(Date.now() / 1000)),
    sockets: () => ask('sockets'),
    longestHold: async (work) => {
      await ask('watch')
      await work()
      return ask('longest hold')
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      const ended = once(child, 'exit')
      child.send('stop' satisfies Question)
      await ended
    },
  }
}
