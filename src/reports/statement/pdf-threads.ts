import { Worker } from 'node:worker_threads'

/** The thread died, or did not answer in time. */
export class ThreadLost extends Error {}

/** Asks a thread for the next piece of work. Throws ThreadLost. */
export type Ask<Step> = (step: Step) => Promise<Uint8Array>
export type Threads<Step> = {
  /** Lends a thread for one document. After an error the thread is dropped and the next document gets a new one. */
  use<T>(work: (ask: Ask<Step>) => Promise<T>): Promise<T>
}

// A running thread saves a third of a second and 40 MB for the next document, so it is kept for a while.
const KEPT_MS = 30_000
// Limits of its heap. The size of a document does not matter, because drawn pages are handed over.
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** Threads that run `script` and answer each step with bytes, within `answerWithinMs`. One is kept for a while. */
export function openThreads<Step>({
  script,
  answerWithinMs,
}: {
  script: URL
  answerWithinMs: number
}): Threads<Step> {
  let kept: { worker: Worker; forget: NodeJS.Timeout } | null = null

  function borrow(): Worker {
    if (kept === null) return start(script)
    const { worker, forget } = kept
    clearTimeout(forget)
    kept = null
    return worker
  }
  function giveBack(worker: Worker): void {
    if (kept !== null) return void worker.terminate()
    const forget = setTimeout(() => {
      kept = null
      worker.terminate()
    }, KEPT_MS).unref()
    kept = { worker, forget }
    worker.once('exit', () => {
      if (kept?.worker === worker) kept = null
    })
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

function start(script: URL): Worker {
  const worker = new Worker(script, { resourceLimits: LIMITS })
  // A thread must not keep a stopping process alive; its errors reach the caller that waits for it.
  worker.unref()
  worker.on('error', () => {})
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
