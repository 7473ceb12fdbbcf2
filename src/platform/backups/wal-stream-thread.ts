import { parentPort, workerData } from 'node:worker_threads'
import { streamWal } from './wal-stream.ts'

// The stream has a thread of its own: in the one that answers payments it would fall behind exactly when there are many.

/** What the thread is given: the address of the server, and the folder and key of the backups. */
export type StreamInput = { url: string; folder: string; key: Uint8Array }
/** What it tells: a line, or why it has ended for good. */
export type StreamNews = { says: string; ended?: true }

async function stream({ url, folder, key }: StreamInput): Promise<void> {
  const stopping = new AbortController()
  const tell = (news: StreamNews) => parentPort?.postMessage(news)
  parentPort?.once('message', () => stopping.abort())
  try {
    await streamWal({
      url: () => url,
      repository: { folder, key: Buffer.from(key) },
      say: (says) => tell({ says }),
      stopping: stopping.signal,
    })
  } catch (error) {
    tell({ says: (error as Error).message, ended: true })
  }
  parentPort?.close()
}

// Whoever only imports the file is no thread of it.
if (workerData !== null) await stream(workerData)
