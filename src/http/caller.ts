/** An answer whose bytes are final. */
export type Answer = {
  status: number
  body: string
  /** From the store of idempotency keys: sent with `Idempotent-Replayed: true`. */
  replayed?: boolean
  /** The object it is about, for the log. */
  objectId?: string | null
  /** What is sent instead of `body`, which is empty: a document too long to be held as a whole. */
  stream?: Stream
}

/** A document that is written piece by piece, under headers of its own. */
export type Stream = {
  headers: Readonly<Record<string, string>>
  /** Writes the document. It is sent when it is whole: what is thrown here is answered like any refusal. */
  write(reader: Reader): Promise<void>
  /** Called with the reason when sending failed, unless the reader had gone. Nothing else reports it. */
  cut(error: unknown): void
  /** Called when it has been sent or given up. */
  done?(): void
}

/** Who reads a streamed document. */
export type Reader = {
  /** Whether nobody reads any more. */
  gone(): boolean
  /** Takes the next piece and keeps a copy. Throws ReaderGone when nobody reads any more, and 503 when there is no room for it. */
  write(piece: string | Uint8Array): Promise<void>
}

/** The client hung up or stopped reading: whoever writes for it stops and lets go of what it holds. */
export class ReaderGone extends Error {}
