import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadResult } from './load.ts'

/** The load generator as a process of its own, which stays warm between orders. */
export type Driver = {
  run(order: LoadOrder): Promise<LoadResult>
  end(): void
}

const LOAD = fileURLToPath(new URL('./load.js', import.meta.url))

/** Starts it. It ends with this process in every case. */
export function startDriver(): Driver {
  const child = fork(LOAD, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return {
    run: (order) => runOrder(child, order),
    end: () => child.kill('SIGKILL'),
  }
}

async function runOrder(child: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  const ended = new AbortController()
  const answer = once(child, 'message', { signal: ended.signal })
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('the load generator ended')
  })
  child.send(order)
  try {
    const [{ result, error }] = (await Promise.race([answer, exit])) as [{ result?: LoadResult; error?: string }]
    if (result === undefined) throw new Error(`the load failed: ${error}`)
    return result
  } finally {
    ended.abort()
    exit.catch(() => {})
  }
}
