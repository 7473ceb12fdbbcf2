import { Worker } from 'node:worker_threads'

/** The thread died, or did not answer in time. */
export class ThreadLost extends Error {}

/** Asks a thread for the next piece of work. Throws ThreadLost. */
export type Ask<Step> = (step: Step) => Promise<Uint8Array>
export type Threads<Step> = {
  /** Lends a thread for one piece of work. After an error the thread is dropped and the next one gets a new thread. */
  use<T>(work: (ask: Ask<Step>) => Promise<T>): Promise<T>
}

// A thread that draws documents takes a third of a second and 40 MB to start, so one that runs is kept for a while.
const KEPT_MS = 30_000
// Limits of its heap. What it makes is handed over, so that the size of a document does not matter.
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** Threads that run `script` and answer each step with bytes, within `answerWithinMs`. So many (one unless said) are kept for a while. */
export function openThreads<Step>({
  script,
  answerWithinMs,
  keep = 1,
}: {
  script: URL
  answerWithinMs: number
  keep?: number
}): Threads<Step> {
  const kept = new Map<Worker, NodeJS.Timeout>()

  function borrow(): Worker {
    // The one that was used last: the others end when they are not needed.
    const last = [...kept].at(-1)
    if (last === undefined) return start(script, kept)
    const [worker, forget] = last
    clearTimeout(forget)
    kept.delete(worker)
    return worker
  }
  function giveBack(worker: Worker): void {
    if (kept.size >= keep) return void worker.terminate()
    const forget = setTimeout(() => {
      kept.delete(worker)
      worker.terminate()
    }, KEPT_MS).unref()
    kept.set(worker, forget)
  }

  return {
    async use(work) {
      const worker = borrow()
      try {
        const value = await work((step) => answerOf(worker, step, answerWithinMs))
        giveBack(worker)
        return value
      } catch (error) {
        worker.terminate()
        throw error
      }
    },
  }
}

function start(script: URL, kept: Map<Worker, NodeJS.Timeout>): Worker {
  const worker = new Worker(script, { resourceLimits: LIMITS })
  // A thread must not keep a stopping process alive; its errors reach the caller that waits for it.
  worker.unref()
  worker.on('error', () => {})
  worker.once('exit', () => {
    clearTimeout(kept.get(worker))
    kept.delete(worker)
  })
  return worker
}

function answerOf<Step>(worker: Worker, step: Step, withinMs: number): Promise<Uint8Array> {
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
