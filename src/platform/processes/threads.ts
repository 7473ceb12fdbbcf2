import { Worker } from 'node:worker_threads'

/** Thrown when the thread died or did not answer in time. */
export class ThreadLost extends Error {}

/** Sends the next step to a thread and returns its answer. Throws ThreadLost. */
type AskThread<Step> = (step: Step) => Promise<Uint8Array>
export type ThreadPool<Step> = {
  /** Lends a thread for one piece of work. After an error the thread is dropped; the next piece of work gets a new one. */
  use<T>(work: (ask: AskThread<Step>) => Promise<T>): Promise<T>
}

// A thread that draws documents takes a third of a second and 40 MB to start, so one that runs is kept for a while.
const IDLE_KEPT_MS = 30_000
// The limits of a thread's heap. The bytes that it makes are transferred, so the size of a document does not count.
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/**
 * Opens a pool of threads that run `script` and answer each step with bytes within `answerWithinMs`. `keep`: how many idle threads stay
 * for a while.
 */
export function openThreadPool<Step>({
  script,
  answerWithinMs,
  keep = 1,
}: {
  script: URL
  answerWithinMs: number
  keep?: number
}): ThreadPool<Step> {
  const idle = new Map<Worker, NodeJS.Timeout>()

  function borrow(): Worker {
    // The one that was used last, so that the others end when they are not needed.
    const last = [...idle].at(-1)
    if (last === undefined) return startThread(script, idle)
    const [worker, timer] = last
    clearTimeout(timer)
    idle.delete(worker)
    return worker
  }
  function giveBack(worker: Worker): void {
    if (idle.size >= keep) return void worker.terminate()
    const timer = setTimeout(() => {
      idle.delete(worker)
      worker.terminate()
    }, IDLE_KEPT_MS).unref()
    idle.set(worker, timer)
  }

  return {
    async use(work) {
      const worker = borrow()
      try {
        const value = await work((step) => askThread(worker, step, answerWithinMs))
        giveBack(worker)
        return value
      } catch (error) {
        worker.terminate()
        throw error
      }
    },
  }
}

function startThread(script: URL, idle: Map<Worker, NodeJS.Timeout>): Worker {
  const worker = new Worker(script, { resourceLimits: LIMITS })
  // A thread must not keep a stopping process alive; its errors reach the caller that waits for it.
  worker.unref()
  worker.on('error', () => {})
  worker.once('exit', () => {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
  })
  return worker
}

function askThread<Step>(worker: Worker, step: Step, withinMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      done()
    }
    const onMessage = (bytes: Uint8Array) => settle(() => resolve(bytes))
    const onError = (cause: unknown) => settle(() => reject(new ThreadLost('the thread failed', { cause })))
    const onExit = () => settle(() => reject(new ThreadLost('the thread ended')))
    const timer = setTimeout(
      () => settle(() => reject(new ThreadLost(`the thread did not answer within ${withinMs} ms`))),
      withinMs,
    )
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(step)
  })
}
