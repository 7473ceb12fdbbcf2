/** An answer whose bytes are final. */
export type Answer = {
  status: number
  body: string
  /** From the store of idempotency keys: sent with `Idempotent-Replayed: true`. */
  replayed?: boolean
  /** The object it is about, for the log. */
  objectId?: string | null
  /** What is sent instead of `body`, which is empty: a document too long to be held as a whole. */
  stream?: DocumentStream
}

/** A document that is written piece by piece and sent with headers of its own. */
export type DocumentStream = {
  headers: Readonly<Record<string, string>>
  /** Writes the document. It is sent once it is complete, so that an error thrown here is answered like any refusal. */
  write(reader: DocumentReader): Promise<void>
  /** Called with the reason when sending failed, unless the client had gone. Nothing else reports it. */
  cut(error: unknown): void
  /** Called when it has been sent or given up. */
  done?(): void
}

/** The client that reads a streamed document. */
export type DocumentReader = {
  /** Whether the client has hung up. */
  isGone(): boolean
  /** Copies the next piece. Throws ReaderGone when the client has hung up, and 503 when there is no room for the piece. */
  write(piece: string | Uint8Array): Promise<void>
}

/** The client hung up or stopped reading: the writer stops and frees what it holds. */
export class ReaderGone extends Error {}
